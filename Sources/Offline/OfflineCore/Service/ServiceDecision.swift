/// A decision of the QoS service on one business service (`GET /v1/qos/decisions`).
public struct ServiceDecision: Hashable, Codable, Sendable {
    public enum State: String, Hashable, Codable, Sendable {
        case healthy
        case faulty
        case recovering
    }

    public enum Scope: String, Hashable, Codable, Sendable {
        case global
        case store
        case terminal
    }

    public enum Source: String, Hashable, Codable, Sendable {
        case reports
        case probe
        case `operator`
    }

    /// For example `order` or `payment`.
    public let service: String
    public let state: State
    public let scope: Scope
    /// One counter per service and issuer; an older one than the last applied is ignored.
    public let generation: Int64
    public let reason: String?
    public let source: Source
    /// How long the decision is valid, counted from when the query was sent.
    public let validity: Duration
    /// When to query again, clamped to 1 s to 300 s.
    public let pollAfter: Duration
    /// How this terminal may resume; nil when the hub sets no pace.
    public let resume: ResumePace?

    public init(
        service: String, state: State, scope: Scope, generation: Int64, reason: String?, source: Source,
        validity: Duration, pollAfter: Duration, resume: ResumePace?
    ) {
        self.service = service
        self.state = state
        self.scope = scope
        self.generation = generation
        self.reason = reason
        self.source = source
        self.validity = validity
        self.pollAfter = pollAfter
        self.resume = resume
    }
}

/// The pace at which the hub lets this terminal drain after a fault.
public struct ResumePace: Hashable, Codable, Sendable {
    /// How long to wait before the drain starts.
    public let after: Duration
    /// Mutations a minute once it starts; 0 or less means unlimited.
    public let ratePerMinute: Int64

    public init(after: Duration, ratePerMinute: Int64) {
        self.after = after
        self.ratePerMinute = ratePerMinute
    }
}

/// One response of the QoS service: its decisions and their issuer.
public struct QoSAnswer: Hashable, Codable, Sendable {
    /// The id of the QoS store's incarnation. A new issuer's decisions are applied whatever their
    /// generations; nil counts as one issuer.
    public let issuer: String?
    public let decisions: [ServiceDecision]

    public init(issuer: String?, decisions: [ServiceDecision]) {
        self.issuer = issuer
        self.decisions = decisions
    }
}
