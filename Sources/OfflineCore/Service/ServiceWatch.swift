/// All that the detector keeps of one service.
struct ServiceWatch: Hashable, Codable, Sendable {
    let service: String
    let isCore: Bool
    /// Changed through ``enter(_:at:)`` only.
    private(set) var phase = ServicePhase.healthy
    /// When the state as shown was entered.
    private(set) var since: Instant
    var word: AppliedDecision?
    /// When QoS is asked next.
    var askAt: Instant
    /// How much later a question may go out for the sake of going together with another.
    var askSlack = Duration.zero
    /// Until when QoS's answer to tripped evidence holds: the same evidence is no reason to ask before.
    var heldUntil: Instant?
    var ledger: ReportLedger
    var dwell = SwitchDwell()

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

    /// When QoS has to be asked at the latest. While all is well a question waits a little for company: the
    /// till wakes up anyway for its next ping or probe.
    var askBy: Instant { isHealthy ? askAt + askSlack : askAt }

    /// When a decision that waits for the dwell is followed; nil where none waits. One that ends before never
    /// is.
    var waitingSwitch: Instant? {
        guard let word, let ends = dwell.ends else { return nil }
        switch (word.state, phase) {
        case (.faulty, .healthy), (.faulty, .suspect), (.faulty, .overruled):
            return ends < word.expiresAt ? ends : nil
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
