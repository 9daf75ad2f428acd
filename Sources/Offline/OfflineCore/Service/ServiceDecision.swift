/// A decision of the QoS service on one business service (`GET /v1/qos/decisions`).
public struct ServiceDecision: Hashable, Codable, Sendable {
    /// The states of docs/reference/http.md, section 7. `recovering` allows the canaries.
    public enum State: String, Hashable, Codable, Sendable {
        case healthy
        case faulty
        case recovering
    }

    /// For whom the decision was made: every terminal, those of one store, or this one.
    public enum Scope: String, Hashable, Codable, Sendable {
        case global
        case store
        case terminal
    }

    /// What QoS based it on: the terminals' reports, its own probes, or an operator's decision.
    public enum Source: String, Hashable, Codable, Sendable {
        case reports
        case probe
        case `operator`
    }

    /// For example `order` or `payment`.
    public let service: String
    /// `faulty` of a core service takes the terminal offline; see ``State``.
    public let state: State
    /// For display only: a decision of any scope is followed alike.
    public let scope: Scope
    /// One counter per service and issuer; an older one than the last applied is ignored.
    public let generation: Int64
    /// Text for people; nil where QoS gave none.
    public let reason: String?
    /// A decision of an operator is followed at once, without a dwell.
    public let source: Source
    /// How long the decision is valid, counted from when the query was sent.
    public let validity: Duration
    /// When to query again, clamped to 1 s to 300 s.
    public let pollAfter: Duration
    /// How this terminal may resume; nil when the hub sets no pace.
    public let resume: ResumePace?

    /// No argument has a default; `validity` and `pollAfter` are clamped where they are applied.
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

    /// The pace of a drain that starts after `after`, with `ratePerMinute` mutations a minute.
    public init(after: Duration, ratePerMinute: Int64) {
        self.after = after
        self.ratePerMinute = ratePerMinute
    }

    /// The same pace without the part of the wait that its decision does not outlive: a hold ends with the
    /// decision that it came from.
    func ending(within validity: Duration) -> ResumePace {
        ResumePace(
            after: min(after, validity.clamped(to: AppliedDecision.validity)), ratePerMinute: ratePerMinute)
    }
}

/// One response of the QoS service: its decisions and their issuer.
public struct QoSResponse: Hashable, Codable, Sendable {
    /// The id of the QoS store's incarnation. A new issuer's decisions are applied whatever their
    /// generations; nil counts as one issuer.
    public let issuer: String?
    /// At most one per service.
    public let decisions: [ServiceDecision]

    /// A response of `issuer`; nil where the hub named none.
    public init(issuer: String?, decisions: [ServiceDecision]) {
        self.issuer = issuer
        self.decisions = decisions
    }
}
