internal import HubProtocol
internal import OfflineCore

/// Turns replies into results or the reason why there is none.
extension HubClient {
    /// Sends `hubCall` and reads its 2xx answer.
    func result<Result>(
        of hubCall: HubCall, _ read: (JSONValue) throws(ShapeError) -> Result
    ) async throws(HubCallError) -> Result {
        let document = try await document(of: hubCall)
        do throws(ShapeError) {
            return try read(document)
        } catch {
            throw .notContract(detail: error.description)
        }
    }

    private func document(of hubCall: HubCall) async throws(HubCallError) -> JSONValue {
        let reply = await call(hubCall)
        if case .success = reply.outcome, let json = reply.json { return json }
        switch reply.outcome {
        case .success: throw .notContract(detail: "an answer without a body")
        case .business, .auth:
            guard let problem = reply.problem else {
                throw .notContract(detail: "a refusal without a problem document")
            }
            throw .refused(problem)
        case .network, .service, .throttle, .portal, .cancelled: throw .unanswered(reply.outcome)
        }
    }
}
