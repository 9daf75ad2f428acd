public import OfflineCore

/// How a service is for everybody, for one store or for one terminal.
public enum ScopeHealth: Hashable, Sendable {
    /// Leaves to `faulty` when a rule convicts.
    case healthy
    /// Leaves to `recovering` once nothing has failed for the recovery time since `lastBad`.
    case faulty(since: Instant, lastBad: Instant, Conviction)
    /// Terminals are let back in cohorts. Leaves to `healthy` when all had their turn, to `faulty` when a
    /// rule convicts anew.
    case recovering(since: Instant, Conviction)

    /// Why it was convicted.
    public struct Conviction: Hashable, Sendable {
        public let source: ServiceDecision.Source
        public let reason: String

        public init(source: ServiceDecision.Source, reason: String) {
            self.source = source
            self.reason = reason
        }
    }

    public var state: ServiceDecision.State {
        switch self {
        case .healthy: .healthy
        case .faulty: .faulty
        case .recovering: .recovering
        }
    }

    /// When the present state began; nil for `healthy`, which keeps no time.
    public var since: Instant? {
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

    /// The state when something went wrong within the scope, short of a conviction.
    func afterFailure(at now: Instant) -> ScopeHealth {
        switch self {
        case .healthy, .recovering: self
        case .faulty(let since, _, let conviction): .faulty(since: since, lastBad: now, conviction)
        }
    }

    /// The state at `now` when nothing more happened.
    func afterTime(_ now: Instant, _ settings: QoSSettings, keepsBack: Bool) -> ScopeHealth {
        guard let deadline = deadline(settings, keepsBack: keepsBack), now >= deadline else { return self }
        switch self {
        case .healthy, .recovering: return .healthy
        case .faulty(_, _, let conviction): return .recovering(since: now, conviction)
        }
    }
}
