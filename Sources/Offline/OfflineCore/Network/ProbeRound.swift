import Base

/// One attempt to reach the hub: its probe, the independent address's where one is configured, and pings
/// beside them. It is over when all have ended, or at `expiresAt`, so that a lost result delays nothing.
struct ProbeRound: Hashable, Codable, Sendable {
    enum Response: Hashable, Codable, Sendable {
        case notQueried
        case awaited
        case responded
        case failed
    }

    let startedAt: Instant
    /// When the hub's probe counts as failed, though it may continue.
    let hubFailsAt: Instant
    let expiresAt: Instant
    let hubSequence: UInt64
    let internetSequence: UInt64?
    private(set) var hub = Response.awaited
    private(set) var internet: Response
    private(set) var pingsLeft: Int
    private(set) var pingsAwaited = 0
    private(set) var echoResponded = false

    /// Begins a round: sends the hub's probe and the independent address's; `pingCount` pings follow.
    ///
    /// - Parameter hubTimeout: how long the hub's probe runs; it counts as failed after `probeTimeout`.
    init(
        pings pingCount: Int, hubTimeout: Duration, _ settings: NetworkSettings,
        _ probes: inout ProbeNumbers, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        let tag = probes.next()
        effects.append(.sendProbe(tag, .hub, timeout: hubTimeout))
        hubSequence = tag.sequence
        if settings.probesInternet {
            let tag = probes.next()
            internetSequence = tag.sequence
            internet = .awaited
            effects.append(.sendProbe(tag, .internet, timeout: settings.probeTimeout))
        } else {
            internetSequence = nil
            internet = .notQueried
        }
        let lastPing = pingCount > 0 ? (settings.roundPings.last ?? .zero) + settings.pingTimeout : .zero
        startedAt = now
        hubFailsAt = now + settings.probeTimeout
        expiresAt = now + max(settings.probeTimeout, lastPing) + settings.clockTolerance
        pingsLeft = pingCount
    }

    /// Whether everything has ended and the hub did not respond.
    var isOver: Bool {
        hub != .awaited && internet != .awaited && pingsLeft == 0 && pingsAwaited == 0
    }

    /// When the next ping is due; nil when all are sent.
    func nextPing(_ settings: NetworkSettings) -> Instant? {
        guard pingsLeft > 0 else { return nil }
        return startedAt + settings.roundPings[settings.roundPings.count - pingsLeft]
    }

    /// Sends the pings that are due.
    mutating func sendDuePings(
        isPinging: Bool, _ settings: NetworkSettings, _ probes: inout ProbeNumbers, at now: Instant,
        _ effects: inout [NetworkEffect]
    ) {
        guard isPinging else { return stopPinging() }
        while let due = nextPing(settings), due <= now {
            effects.append(.sendPing(probes.next()))
            pingsLeft -= 1
            pingsAwaited += 1
        }
    }

    /// Counts the hub's probe as failed when its time is over.
    ///
    /// - Returns: whether it failed now.
    mutating func failOverdueHub(at now: Instant) -> Bool {
        guard hub == .awaited, now >= hubFailsAt else { return false }
        hub = .failed
        return true
    }

    /// Counts everything pending as failed when the round's time is over.
    mutating func expire(at now: Instant) {
        guard now >= expiresAt else { return }
        if hub == .awaited { hub = .failed }
        if internet == .awaited { internet = .failed }
        stopPinging()
    }

    mutating func stopPinging() {
        pingsLeft = 0
        pingsAwaited = 0
    }

    /// One of this round's pings ended, with or without a response.
    mutating func pingEnded(responded: Bool, sequence: UInt64) {
        guard sequence > hubSequence else { return }
        pingsAwaited = max(0, pingsAwaited - 1)
        if responded { echoResponded = true }
    }

    mutating func hubFailed(sequence: UInt64) {
        if sequence == hubSequence { hub = .failed }
    }

    /// The independent address responded, or did not.
    mutating func internetEnded(responded: Bool, sequence: UInt64) {
        guard internetSequence == sequence, internet == .awaited else { return }
        internet = responded ? .responded : .failed
    }
}

/// Either a round runs, or the next one waits for its time.
enum ProbeStep: Hashable, Codable, Sendable {
    case waiting(until: Instant)
    case round(ProbeRound)

    /// The round that has ended without a response of the hub.
    var endedRound: ProbeRound? {
        if case .round(let round) = self, round.isOver { round } else { nil }
    }

    /// The hub's probe that is still pending.
    var openHubProbe: ProbeInFlight? {
        guard case .round(let round) = self, round.hub == .awaited else { return nil }
        return ProbeInFlight(sequence: round.hubSequence, failsAt: round.hubFailsAt)
    }

    /// Changes the round that runs, if one does.
    mutating func update(_ change: (inout ProbeRound) -> Void) {
        guard case .round(var round) = self else { return }
        change(&round)
        self = .round(round)
    }
}

/// A pending probe, and when it counts as failed.
struct ProbeInFlight: Hashable, Codable, Sendable {
    let sequence: UInt64
    let failsAt: Instant
}
