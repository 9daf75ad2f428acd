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
    var hub = Response.awaited
    var internet: Response
    var pingsLeft: Int
    var pingsAwaited = 0
    var echoResponded = false

    /// Whether everything has ended and the hub did not respond.
    var isOver: Bool {
        hub != .awaited && internet != .awaited && pingsLeft == 0 && pingsAwaited == 0
    }

    /// Counts everything pending as failed.
    mutating func expire() {
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

    /// Changes the round that runs, if one does.
    mutating func update(_ change: (inout ProbeRound) -> Void) {
        guard case .round(var round) = self else { return }
        change(&round)
        self = .round(round)
    }

    /// The hub's probe that is still pending.
    var openHubProbe: ProbeInFlight? {
        guard case .round(let round) = self, round.hub == .awaited else { return nil }
        return ProbeInFlight(sequence: round.hubSequence, failsAt: round.hubFailsAt)
    }
}
