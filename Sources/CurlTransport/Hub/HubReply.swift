public import HubProtocol
public import OfflineCore

/// How a call of the hub ended, with what it said.
public struct HubReply: Sendable {
    public internal(set) var outcome: OutcomeClass
    /// Nil when no whole answer came.
    public let response: HTTPResponse?
    /// The answer's document; nil unless it is JSON and the hub's.
    public let json: JSONValue?
    /// The hub's wish for the next try, capped by ``RetryAfter/longest``.
    public let retryAfter: Duration?
    public let timings: HTTPTimings
    /// Why no whole answer came; nil when one did.
    var failure: TransferFailure?

    /// The hub's problem document of a refusal.
    public var problem: Problem? {
        guard let response, response.status >= 400 else { return nil }
        return json.flatMap(Problem.init(json:))
    }
}

/// Why a call of the hub brought no result.
public enum HubCallError: Error, Equatable, Sendable {
    /// No answer of the hub, or one that it could not serve. The effect of a call that changes something is
    /// unknown: ask again under the same key.
    case unanswered(OutcomeClass)
    /// The hub said no and why. Asking again as it is does not help.
    case refused(Problem)
    /// The hub's answer is not what the contract says; update one of the two.
    case notContract(detail: String)
}

extension HubCallError: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .unanswered(let outcome): "the hub was not reached or could not serve: \(outcome.words)"
        case .refused(let problem): problem.detail.isEmpty ? problem.title : problem.detail
        case .notContract(let detail): "the response is not what the contract says: \(detail)"
        }
    }
}
