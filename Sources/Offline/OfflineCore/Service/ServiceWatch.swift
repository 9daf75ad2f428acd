import Base

/// The detector's state of one service.
struct ServiceWatch: Hashable, Codable, Sendable {
    let service: String
    let isCore: Bool
    /// Changed through ``enter(_:at:)`` only.
    private(set) var phase = ServicePhase.healthy
    /// When the state as shown was entered.
    private(set) var since: Instant
    /// The last applied decision of QoS; nil before the first.
    var applied: AppliedDecision?
    /// When QoS is queried next.
    var queryAt: Instant
    /// How much later a query may be sent, so that it shares a wake-up with another one.
    var querySlack = Duration.zero
    /// Until when the decision of QoS on tripped evidence is valid: the same evidence causes no earlier
    /// query.
    var heldUntil: Instant?
    var ledger: ReportLedger
    var dwell = SwitchDwell()

    init(service: String, isCore: Bool, at now: Instant) {
        self.service = service
        self.isCore = isCore
        since = now
        queryAt = now
        ledger = ReportLedger(service: service)
    }

    mutating func enter(_ next: ServicePhase, at now: Instant) {
        if next.shown != phase.shown { since = now }
        phase = next
    }

    /// When QoS must be queried at the latest. While the service is healthy a query may wait a little,
    /// because the till wakes up anyway for its next ping or probe.
    var queryBy: Instant { isHealthy ? queryAt + querySlack : queryAt }

    /// When a decision that waits for the dwell is applied; nil where none waits. One that expires before is
    /// never applied.
    var waitingSwitch: Instant? {
        guard let applied, let ends = dwell.ends else { return nil }
        switch (applied.state, phase) {
        case (.faulty, .healthy), (.faulty, .suspect), (.faulty, .overruled):
            return ends < applied.expiresAt ? ends : nil
        case (.healthy, .faulty), (.recovering, .faulty): return ends
        case (.faulty, .faulty), (.faulty, .leased), (.faulty, .recovering), (.healthy, .healthy),
            (.healthy, .suspect), (.healthy, .overruled), (.healthy, .leased), (.healthy, .recovering),
            (.recovering, .healthy), (.recovering, .suspect), (.recovering, .overruled),
            (.recovering, .leased), (.recovering, .recovering):
            return nil
        }
    }

    var isHealthy: Bool {
        switch phase {
        case .healthy: true
        case .suspect, .overruled, .faulty, .leased, .recovering: false
        }
    }

    var status: ServiceStatus {
        ServiceStatus(
            service: service, isCore: isCore, state: phase.shown, since: since, source: source,
            generation: applied?.generation ?? 0, testedAt: phase.testedAt(holdEnds: applied?.expiresAt))
    }

    /// The source of the decision behind the present state.
    private var source: ServiceStatus.Source {
        switch phase {
        case .suspect, .overruled, .leased: return .local
        case .faulty: return applied?.source ?? .local
        case .recovering(let trial): return trial.isLocal ? .local : applied?.source ?? .local
        case .healthy:
            guard let applied, applied.state != .faulty else { return .local }
            return applied.source
        }
    }
}
