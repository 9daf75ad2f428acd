package import CurlHTTP
package import HubProtocol
package import OfflineCore

/// How a call of the hub ended, with its response.
package struct HubReply: Sendable {
    /// How the call counts as evidence.
    package internal(set) var outcome: OutcomeClass
    /// Nil without a complete response.
    package let response: HTTPResponse?
    /// The response's document; nil unless it is JSON and the hub's.
    package let json: JSONValue?
    /// The hub's `Retry-After` for the next try, capped by ``RetryAfter/longest``.
    package let retryAfter: Duration?
    /// When the steps of the last attempt were passed.
    package let timings: HTTPTimings
    /// Why there is no complete response; nil when there is one.
    var failure: TransferFailure?

    /// The hub's problem document of a refusal.
    package var problem: Problem? {
        guard let response, response.status >= 400 else { return nil }
        return json.flatMap(Problem.init(json:))
    }
}

/// Why a call of the hub brought no result.
package enum HubCallError: Error, Equatable, Sendable {
    /// No response of the hub, or the hub could not serve the request. The effect of a call that changes
    /// something is unknown: send it again under the same key.
    case noResponse(OutcomeClass)
    /// The hub refused and gave the reason. The same request again does not help.
    case refused(Problem)
    /// The hub's response breaks the contract; update one of the two.
    case notContract(detail: String)
}

extension HubCallError: CustomStringConvertible {
    /// For people.
    package var description: String {
        switch self {
        case .noResponse(let outcome): "the hub was not reached or could not serve: \(outcome.words)"
        case .refused(let problem): problem.detail.isEmpty ? problem.title : problem.detail
        case .notContract(let detail): "the response breaks the contract: \(detail)"
        }
    }
}
