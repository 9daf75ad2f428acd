/// One attempt to reach the hub: its probe, the independent address's where one is configured, and echoes
/// beside them. It is over when everything has come back, or at `expiresAt`, so a lost answer holds nothing
/// up.
struct ProbeRound: Hashable, Codable, Sendable {
    enum Answer: Hashable, Codable, Sendable {
        case notAsked
        case awaited
        case answered
        case failed
    }

    let startedAt: Instant
    /// When the hub's probe counts as failed, though it may run on.
    let hubFailsAt: Instant
    let expiresAt: Instant
    let hubSequence: UInt64
    let internetSequence: UInt64?
    var hub = Answer.awaited
    var internet: Answer
    var pingsLeft: Int
    var pingsAwaited = 0
    var echoAnswered = false

    /// Whether everything came back and the hub's answer was not among it.
    var isOver: Bool {
        hub != .awaited && internet != .awaited && pingsLeft == 0 && pingsAwaited == 0
    }

    /// Counts what has not come back as failed.
    mutating func expire() {
        if hub == .awaited { hub = .failed }
        if internet == .awaited { internet = .failed }
        stopPinging()
    }

    mutating func stopPinging() {
        pingsLeft = 0
        pingsAwaited = 0
    }

    /// One of this round's pings came back, or did not in time.
    mutating func pingEnded(answered: Bool, sequence: UInt64) {
        guard sequence > hubSequence else { return }
        pingsAwaited = max(0, pingsAwaited - 1)
        if answered { echoAnswered = true }
    }

    mutating func hubFailed(sequence: UInt64) {
        if sequence == hubSequence { hub = .failed }
    }

    /// The independent address answered, or did not.
    mutating func internetEnded(answered: Bool, sequence: UInt64) {
        guard internetSequence == sequence, internet == .awaited else { return }
        internet = answered ? .answered : .failed
    }
}

/// Either a round is out, or the next one waits for its time.
enum ProbeStep: Hashable, Codable, Sendable {
    case waiting(until: Instant)
    case round(ProbeRound)

    /// Changes the round that is out, if one is.
    mutating func update(_ change: (inout ProbeRound) -> Void) {
        guard case .round(var round) = self else { return }
        change(&round)
        self = .round(round)
    }

    /// The hub's probe that is still out.
    var openHubProbe: ProbeInFlight? {
        guard case .round(let round) = self, round.hub == .awaited else { return nil }
        return ProbeInFlight(sequence: round.hubSequence, failsAt: round.hubFailsAt)
    }
}
