package import Base
package import OfflineCore

/// The inputs of the decision machine.
package enum QoSEvent: Hashable, Sendable {
    /// A terminal reported how many requests of a service went well and how many failed, in a window that
    /// began at `windowStart` by its clock (milliseconds since 1970; nil where it names no moment).
    case reported(service: String, by: QoSReporter, ok: Int, failed: Int, windowStart: Int64? = nil)
    /// A terminal requested decisions.
    case queried(by: QoSReporter)
    /// A terminal reported how many mutations its outbox holds. The number is a claim.
    case pending(Int64, of: String)
    /// The hub measured how many mutations a terminal holds: the sequence of its journal's head less what is
    /// acknowledged. From then on the terminal's own number is not used.
    case backlogMeasured(Int64, of: String)
    /// A push that went to the store at `since` came back; so many of its mutations have a result, of so
    /// many that were sent.
    case intakeEnded(results: Int, sent: Int, of: String, since: Instant)
    /// A probe of the service ended.
    case probed(service: String, succeeded: Bool)
    /// An operator set an override, which has priority over the machine's decision: for one store, or for the
    /// chain where `storeId` is nil.
    case overridden(service: String, QoSOverride, storeId: String? = nil)
    /// An operator cleared the override of a store, or the chain's.
    case overrideLifted(service: String, storeId: String? = nil)
    /// The moment that ``QoSDecisionMachine/deadline`` named has come; early and repeated ones do no harm.
    case deadlineReached
}

/// The sender of a report: the identity of its token.
package struct QoSReporter: Hashable, Sendable {
    /// The terminal's ULID; one terminal has one vote.
    package let terminalId: String
    /// The store that the terminal was enrolled for; it decides the store scope and the quorum of stores.
    package let storeId: String

    /// A reporter from the claims of a token that was verified.
    package init(terminalId: String, storeId: String) {
        self.terminalId = terminalId
        self.storeId = storeId
    }
}

/// An operator's decision on a service.
package struct QoSOverride: Hashable, Sendable {
    /// The state that every terminal gets instead of the machine's own.
    package let state: ServiceDecision.State
    /// The operator's text; terminals get it as `reason`.
    package let reason: String
    /// The operator's name, kept with the change; terminals do not get it.
    package let by: String
    /// When it ends by itself; nil: when it is taken back.
    package let until: Instant?

    /// Makes an override; nil in `until` leaves it in force until it is cleared.
    package init(state: ServiceDecision.State, reason: String, by: String, until: Instant?) {
        self.state = state
        self.reason = reason
        self.by = by
        self.until = until
    }

    /// Whether two decisions are the same one. Their ends are computed from a wall clock, so they may differ
    /// by a moment; an operator who changes an end changes it by more than 5 s or by nothing that counts.
    static func isSame(_ one: QoSOverride?, _ other: QoSOverride?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        guard one.state == other.state, one.reason == other.reason, one.by == other.by else { return false }
        guard let end = one.until, let otherEnd = other.until else {
            return one.until == nil && other.until == nil
        }
        return max(end, otherEnd) - min(end, otherEnd) < .seconds(5)
    }
}

/// The machine's effects.
package enum QoSEffect: Hashable, Sendable {
    /// Keep the service's state and the change that led to it.
    case keep(QoSTransition)
}

/// A change of the decision on a service in one scope, with its evidence.
package struct QoSTransition: Hashable, Sendable {
    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package let service: String
    /// One counter per service over all scopes.
    package let generation: Int64
    /// Where the decision is in force; an override is `global` or `store`.
    package let scope: ServiceDecision.Scope
    /// The store's or terminal's id; empty for the global scope.
    package let subject: String
    /// The state after the change.
    package let state: ServiceDecision.State
    /// What decided: `reports`, `probe` or `operator`.
    package let source: ServiceDecision.Source
    /// The evidence as one line.
    package let reason: String
    /// What was counted; nil where probes, operators or time decided.
    package let evidence: QoSEvidence?
    /// When the machine decided, by the hub's monotonic clock.
    package let at: Instant
}
