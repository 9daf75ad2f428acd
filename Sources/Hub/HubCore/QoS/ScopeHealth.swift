package import Base
package import OfflineCore

/// The health of a service for all, for one store or for one terminal.
package enum ScopeHealth: Hashable, Sendable {
    /// Leaves to `faulty` when a rule is met.
    case healthy
    /// Leaves to `recovering` once the rule has not been met for the recovery time since `lastBad`. One
    /// failure alone meets no rule, so it does not move `lastBad`.
    case faulty(since: Instant, lastBad: Instant, Cause)
    /// Terminals are readmitted in cohorts. Leaves to `healthy` when all had their turn, to `faulty` when a
    /// rule is met anew.
    case recovering(since: Instant, Cause)

    /// Why it is not healthy.
    package struct Cause: Hashable, Sendable {
        /// What decided: `reports`, `probe` or `operator`.
        package let source: ServiceDecision.Source
        /// The evidence as one line.
        package let reason: String
        /// Nil where probes decided, and in what an earlier hub kept.
        package let evidence: QoSEvidence?
        /// When the scope left `healthy`: a new fault while terminals are readmitted keeps it.
        package let firstFault: Instant

        /// Makes a cause; `firstFault` is by the hub's monotonic clock.
        package init(
            source: ServiceDecision.Source, reason: String, evidence: QoSEvidence?, firstFault: Instant
        ) {
            self.source = source
            self.reason = reason
            self.evidence = evidence
            self.firstFault = firstFault
        }
    }

    /// The state as terminals get it, without its data.
    package var state: ServiceDecision.State {
        switch self {
        case .healthy: .healthy
        case .faulty: .faulty
        case .recovering: .recovering
        }
    }

    /// Why it is not healthy; nil for a healthy scope.
    package var cause: Cause? {
        switch self {
        case .healthy: nil
        case .faulty(_, _, let cause), .recovering(_, let cause): cause
        }
    }

    /// When the present state began; nil for `healthy`, which keeps no time.
    package var since: Instant? {
        switch self {
        case .healthy: nil
        case .faulty(let since, _, _), .recovering(let since, _): since
        }
    }

    /// When the state changes by itself if nothing more happens.
    ///
    /// - Parameter keepsBack: terminals still wait for their turn, so a recovery is not over yet.
    func deadline(_ settings: QoSSettings, keepsBack: Bool) -> Instant? {
        switch self {
        case .healthy: nil
        case .faulty(_, let lastBad, _): lastBad + settings.recovery
        case .recovering(let since, _): since + (keepsBack ? settings.longestLetBack : settings.letBack)
        }
    }

    /// The state when its rule was met again at `moment`, the last time known.
    func afterBad(at moment: Instant) -> ScopeHealth {
        switch self {
        case .healthy, .recovering: self
        case .faulty(let since, let lastBad, let cause):
            .faulty(since: since, lastBad: max(lastBad, moment), cause)
        }
    }

    /// The state at `now` when nothing more happened.
    func afterTime(_ now: Instant, _ settings: QoSSettings, keepsBack: Bool) -> ScopeHealth {
        guard let deadline = deadline(settings, keepsBack: keepsBack), now >= deadline else { return self }
        switch self {
        case .healthy, .recovering: return .healthy
        case .faulty(_, _, let cause): return .recovering(since: now, cause)
        }
    }
}
