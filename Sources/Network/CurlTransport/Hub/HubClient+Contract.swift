internal import HubProtocol
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
