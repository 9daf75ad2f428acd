/// All that the detector keeps of one service.
struct ServiceWatch: Hashable, Codable, Sendable {
    let service: String
    let isCore: Bool
    /// Changed through ``enter(_:at:)`` only.
    private(set) var phase = ServicePhase.healthy
    /// When the state as shown was entered.
    private(set) var since: Instant
    var word: FollowedWord?
    /// When QoS is asked next.
    var askAt: Instant
    /// Until when QoS's answer to tripped evidence holds: the same evidence is no reason to ask before.
    var heldUntil: Instant?
    var ledger: ReportLedger

    init(service: String, isCore: Bool, at now: Instant) {
        self.service = service
        self.isCore = isCore
        since = now
        askAt = now
        ledger = ReportLedger(service: service)
    }

    mutating func enter(_ next: ServicePhase, at now: Instant) {
        if next.shown != phase.shown { since = now }
        phase = next
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
            generation: word?.generation ?? 0)
    }

    /// Whose word the present state rests on.
    private var source: ServiceStatus.Source {
        switch phase {
        case .suspect, .overruled, .leased: return .local
        case .faulty: return word?.source ?? .local
        case .recovering(let trial): return trial.isLocal ? .local : word?.source ?? .local
        case .healthy:
            guard let word, word.state != .faulty else { return .local }
            return word.source
        }
    }
}
