public import HubProtocol

internal import OfflineCore

/// Turns replies into results or the reason why there is none.
extension HubClient {
    /// Sends `hubCall` and reads its 2xx response.
    func result<Result>(
        of hubCall: HubCall, _ read: (JSONValue) throws(ShapeError) -> Result
    ) async throws(HubCallError) -> Result {
        var result: Result?
        var misfit: HubCallError?
        let reply = await call(hubCall) { reply in
            guard let json = reply.json else {
                misfit = .notContract(detail: "a response without a body")
                return false
            }
            do throws(ShapeError) {
                result = try read(json)
            } catch {
                misfit = .notContract(detail: error.description)
            }
            return misfit == nil
        }
        if let result { return result }
        throw misfit ?? Self.reason(of: reply)
    }

    /// Why a response that is no success has no result.
    static func reason(of reply: HubReply) -> HubCallError {
        switch reply.outcome {
        case .business, .auth:
            reply.problem.map(HubCallError.refused)
                ?? .notContract(detail: "a refusal without a problem document")
        case .success, .network, .service, .throttle, .portal, .cancelled: .noResponse(reply.outcome)
        }
    }
}

/// What the hub takes off a sale (http.md section 6). The request changes nothing: a coupon is used up by the
/// sale that contains it.
extension HubClient {
    /// `POST /v1/promotions/evaluate`. Lines and coupons of the result have the order of `basket`.
    public func reductions(for basket: BasketShape) async throws(HubCallError) -> ReductionsShape {
        let call = HubCall(.post, template: Routes.promotionEvaluation, body: basket.json.canonicalBytes)
        return try await result(of: call, ReductionsShape.init(json:))
    }
}

extension HubClient {
    /// Sends the terminal's own figures to the hub. The outcome is no evidence, so it is not reported to the
    /// observer.
    ///
    /// - Returns: whether the hub took it.
    public func sendTelemetry(_ telemetry: JSONValue) async -> Bool {
        let call = HubCall(.post, template: Routes.telemetry, body: telemetry.canonicalBytes)
        return await callUnreported(call).outcome == .success
    }
}
