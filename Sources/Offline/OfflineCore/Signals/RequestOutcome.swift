public import Base

/// An API of the hub by HTTP method and route template, for example `POST /v1/mutations`.
public struct APIRoute: Hashable, Codable, Sendable, CustomStringConvertible {
    public let method: String
    /// The path with its variable parts in braces, without query: `/v1/members/{id}`.
    public let template: String

    public init(method: String, template: String) {
        self.method = method
        self.template = template
    }

    public var description: String { "\(method) \(template)" }

    /// Whether it belongs to the QoS service. A query without a response makes the till probe at once; that
    /// probe is the evidence and the quality sample.
    var isOfQoS: Bool { template.hasPrefix("/v1/qos/") }
}

/// One finished request of a business call, as the network layer reports it to the offline module.
public struct RequestOutcome: Hashable, Sendable {
    public let api: APIRoute
    public let outcome: OutcomeClass
    /// When the request was handed to the network.
    public let startedAt: Instant
    /// When the first byte of the response arrived; nil when none did.
    public let firstByteAt: Instant?
    public let finishedAt: Instant
    /// The `Retry-After` of a response that was no success; nil where it had none.
    public let retryAfter: Duration?

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
