public import Base

/// An API of the hub by HTTP method and route template, for example `POST /v1/mutations`.
public struct APIRoute: Hashable, Codable, Sendable, CustomStringConvertible {
    /// In capitals: `GET`, `POST`.
    public let method: String
    /// The path with its variable parts in braces, without query: `/v1/members/{id}`.
    public let template: String

    /// `template` is the path with braces, for example `/v1/members/{id}`.
    public init(method: String, template: String) {
        self.method = method
        self.template = template
    }

    /// Method and template with a space between them, as in `config/core-apis.json`.
    public var description: String { "\(method) \(template)" }

    /// Whether it belongs to the QoS service. A query without a response makes the till probe at once; that
    /// probe is the evidence and the quality sample.
    var isOfQoS: Bool { template.hasPrefix("/v1/qos/") }
}

/// One finished request of a business call, as the network layer reports it to the offline module.
public struct RequestOutcome: Hashable, Codable, Sendable {
    /// The route by its template, so that calls on different ids count together.
    public let api: APIRoute
    /// How the network layer classified the end of the request.
    public let outcome: OutcomeClass
    /// When the request was handed to the network.
    public let startedAt: Instant
    /// When the first byte of the response arrived; nil when none did.
    public let firstByteAt: Instant?
    /// When the response was complete, or the request failed or was cancelled.
    public let finishedAt: Instant
    /// The `Retry-After` of a response that was no success; nil where it had none.
    public let retryAfter: Duration?

    /// All times are on the monotonic clock; by default the response had no `Retry-After`.
    public init(
        api: APIRoute, outcome: OutcomeClass, startedAt: Instant, firstByteAt: Instant?, finishedAt: Instant,
        retryAfter: Duration? = nil
    ) {
        self.api = api
        self.outcome = outcome
        self.startedAt = startedAt
        self.firstByteAt = firstByteAt
        self.finishedAt = finishedAt
        self.retryAfter = retryAfter
    }
}
