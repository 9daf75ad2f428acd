internal import CurlHTTP
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// Reads the responses to an upload. Only the hub's own response about this attachment completes it; a login
/// page or a redirect does not.
enum UploadReply {
    static func response(_ reply: HubReply, about attachment: Attachment) -> UploadResponse {
        guard let response = reply.response else { return .hubTrouble(retryAfter: nil) }
        switch response.status {
        case 200:
            let isComplete =
                reply.json?["id"]?.string == attachment.id
                && reply.json?["sha256"]?.string == attachment.sha256
            return isComplete ? .whole : .hubTrouble(retryAfter: nil)
        case 308:
            // A captive portal's redirect has a `Location`; the hub's 308 has the offset that it has received
            // up to.
            guard response.header("Location") == nil,
                let received = ReceivedRange.received(response.header("Range"))
            else { return .hubTrouble(retryAfter: nil) }
            return .at(received)
        case _:
            return trouble(reply)
        }
    }

    /// What a refusal, or a missing response, means for an upload.
    static func trouble(_ reply: HubReply) -> UploadResponse {
        guard let problem = reply.problem else { return .hubTrouble(retryAfter: reply.retryAfter) }
        switch (problem.status, problem.code) {
        case (_, .digestMismatch): return .digestMismatch
        case (_, .uploadExpired), (_, .uploadInvalid), (404, _): return .grantRefused
        case (401, _), (403, _), (408, _), (426, _), (429, _), (500..., _):
            return .hubTrouble(retryAfter: reply.retryAfter)
        case (_, _): return .refused("\(problem.status) \(problem.code.rawValue): \(problem.detail)")
        }
    }
}
