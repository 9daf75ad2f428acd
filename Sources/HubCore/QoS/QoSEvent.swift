public import OfflineCore

/// What the decision machine is told.
public enum QoSEvent: Hashable, Sendable {
    /// A terminal reported how many requests of a service went well and how many failed.
    case reported(service: String, by: QoSReporter, ok: Int, failed: Int)
    /// A terminal asked for decisions.
    case asked(by: QoSReporter)
    /// A terminal told how many mutations its outbox holds.
    case pending(Int64, of: String)
    /// A push of mutations went to the store.
    case intakeBegan
    /// A push came back from the store; so many of its mutations have a verdict.
    case intakeEnded(Int, of: String)
    /// A probe of the service ended.
    case probed(service: String, succeeded: Bool)
    /// An operator gave a word that outranks the machine's.
    case overridden(service: String, QoSOverride)
    /// An operator took the word back.
    case overrideLifted(service: String)
    /// The moment that ``QoSDecisionMachine/deadline`` named has come; early and repeated ones do no harm.
    case deadlineReached
}

/// Who reports: the identity of its token.
public struct QoSReporter: Hashable, Sendable {
    public let terminalId: String
    public let storeId: String

    public init(terminalId: String, storeId: String) {
        self.terminalId = terminalId
        self.storeId = storeId
    }
}

/// An operator's word on a service.
public struct QoSOverride: Hashable, Sendable {
    public let state: ServiceDecision.State
    public let reason: String
    public let by: String
    /// When it ends by itself; nil: when it is taken back.
    public let until: Instant?

    public init(state: ServiceDecision.State, reason: String, by: String, until: Instant?) {
        self.state = state
        self.reason = reason
        self.by = by
        self.until = until
    }
}

/// What the machine wants done.
public enum QoSEffect: Hashable, Sendable {
    /// Keep the service's state and the change that led to it.
    case keep(QoSTransition)
}

/// A change of what is said of a service somewhere, with its evidence.
public struct QoSTransition: Hashable, Sendable {
    public let service: String
    /// One counter per service over all scopes.
    public let generation: Int64
    public let scope: ServiceDecision.Scope
    /// The store's or terminal's id; empty for the global scope.
    public let subject: String
    public let state: ServiceDecision.State
    public let source: ServiceDecision.Source
    /// The evidence in words.
    public let reason: String
    public let at: Instant
}
