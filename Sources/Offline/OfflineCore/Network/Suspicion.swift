import Base

/// An unbroken run of failures, or the verification before the network first counts as reachable.
///
/// A round counts as failed after `probeTimeout`, but the hub's probe in it continues: a response that
/// arrives before T1's end still cancels T1, so that a slow hub is not taken for a dark one.
struct Suspicion: Hashable, Codable, Sendable {
    /// Which timers of the run came too late, or how often the machine dozed in it.
    enum Lateness: Hashable, Codable, Sendable {
        case punctual
        /// It happened once and T1 started again; it does so once in a run.
        case restarted
        /// It happened again: T1, which counts only time awake, is kept, and a new round decides.
        case pressed
    }

    /// What a late or missing timer means for the run.
    enum Restart: Hashable, Sendable {
        case none
        /// T1 is kept and a new round decides.
        case round
        /// T1 starts again.
        case run
    }

    private(set) var kinds: SuspicionKinds
    let openedAt: Instant
    /// T1's end; nil while nothing has failed yet in this run.
    private(set) var commitsAt: Instant?
    private(set) var step: ProbeStep
    /// A full round of the present path id has failed.
    private(set) var roundFailed = false
    /// The independent address responded in the last full round.
    private(set) var internetResponded = false
    /// A ping of the last full round got a response.
    private(set) var echoResponded = false
    private(set) var lateness: Lateness
    /// The `service` cause of a silent hub still holds meanwhile.
    let isBackendDown: Bool

    /// - Parameters:
    ///   - commitsAt: T1's end; nil for a verification, in which nothing has failed yet.
    ///   - start: when its first round is due.
    init(
        kinds: SuspicionKinds, commitsAt: Instant?, from start: Instant, lateness: Lateness = .punctual,
        isBackendDown: Bool = false, at now: Instant
    ) {
        self.kinds = kinds
        openedAt = now
        self.commitsAt = commitsAt
        step = .waiting(until: start)
        self.lateness = lateness
        self.isBackendDown = isBackendDown
    }

    var isVerifying: Bool { commitsAt == nil }

    /// Whether its only evidence is missing or failed responses.
    var isOfSilence: Bool { kinds.isSubset(of: [.echo, .silence, .refusal]) }

    /// Whether a response to a ping ends it: only missing pings opened it.
    var endsWithPing: Bool { kinds.isSubset(of: .echo) && !isBackendDown }

    /// Whether T1's end confirms the fault. Without a path the round counts as failed; while a path settles
    /// no fault is confirmed.
    func mayCommit(on path: PathWatch.View) -> Bool {
        switch path {
        case .lost: true
        case .returning: false
        case .unknown, .usable: roundFailed
        }
    }

    func isDue(on path: PathWatch.View, at now: Instant) -> Bool {
        commitsAt.map { now >= $0 && mayCommit(on: path) } ?? false
    }

    func deadline(on path: PathWatch.View, _ settings: NetworkSettings) -> Instant {
        let next: Instant
        switch step {
        case .waiting(let until): next = until
        case .round(let round):
            let end = round.hub == .awaited ? round.hubFailsAt : round.expiresAt
            next = min(round.nextPing(settings) ?? end, end)
        }
        guard let commitsAt, mayCommit(on: path) else { return next }
        return min(next, commitsAt)
    }

    mutating func note(_ more: SuspicionKinds) { kinds.formUnion(more) }

    /// The path was lost: T1 may end sooner, never later, and a new round is needed.
    mutating func pathWasLost(debounce: Duration) {
        kinds.formUnion(.path)
        commitsAt = commitsAt.map { min($0, openedAt + debounce) }
        roundFailed = false
    }

    /// T1 ends at `end`, and the next round begins at `moment`.
    mutating func restartDebounce(until end: Instant, roundAt moment: Instant) {
        commitsAt = end
        discardRounds(next: moment)
    }

    /// What rounds showed so far is void; the next begins at `moment`.
    mutating func discardRounds(next moment: Instant) {
        roundFailed = false
        step = .waiting(until: moment)
    }

    /// A person requests a retry: the next round is due now, and one that runs continues.
    mutating func retry(at now: Instant) {
        if case .waiting = step { step = .waiting(until: now) }
    }

    mutating func startRound(
        isPinging: Bool, _ settings: NetworkSettings, _ probes: inout ProbeNumbers, at now: Instant,
        _ effects: inout [NetworkEffect]
    ) {
        var round = ProbeRound(
            pings: isPinging ? settings.roundPings.count : 0,
            hubTimeout: max(settings.requestTimeout, settings.probeTimeout), settings, &probes, at: now,
            &effects)
        round.sendDuePings(isPinging: isPinging, settings, &probes, at: now, &effects)
        step = .round(round)
    }

    /// Sends what is due and ends what is overdue.
    ///
    /// - Returns: whether the hub's probe of the round became overdue.
    mutating func advance(
        isPinging: Bool, _ settings: NetworkSettings, _ probes: inout ProbeNumbers, at now: Instant,
        _ effects: inout [NetworkEffect]
    ) -> Bool {
        switch step {
        case .waiting(let until):
            if now >= until {
                startRound(isPinging: isPinging, settings, &probes, at: now, &effects)
            }
            return false
        case .round(var round):
            round.sendDuePings(isPinging: isPinging, settings, &probes, at: now, &effects)
            let isOverdue = round.failOverdueHub(at: now)
            round.expire(at: now)
            step = .round(round)
            return isOverdue
        }
    }

    /// Whether the hub's probe of the round that runs has failed.
    var hubProbeFailed: Bool {
        if case .round(let round) = step { round.hub == .failed } else { false }
    }

    mutating func pingEnded(responded: Bool, _ tag: ProbeTag) {
        step.update { $0.pingEnded(responded: responded, sequence: tag.sequence) }
    }

    mutating func stopPinging() { step.update { $0.stopPinging() } }

    mutating func hubFailed(_ tag: ProbeTag) { step.update { $0.hubFailed(sequence: tag.sequence) } }

    mutating func internetEnded(responded: Bool, _ tag: ProbeTag) {
        step.update { $0.internetEnded(responded: responded, sequence: tag.sequence) }
    }

    /// Keeps what a round that is over has shown; the next may begin `probeTimeout` after its start.
    ///
    /// - Returns: whether it showed something else than the round before.
    mutating func closeEndedRound(_ settings: NetworkSettings) -> Bool {
        guard let round = step.endedRound else { return false }
        let shown = (round.internet == .responded, round.echoResponded)
        let isNew = shown != (internetResponded, echoResponded)
        (internetResponded, echoResponded) = shown
        roundFailed = true
        if PlantedBug.debounceRestartedByFailure.isPlanted, commitsAt != nil {
            commitsAt = round.startedAt + settings.probeTimeout + settings.debounce
        }
        step = .waiting(until: round.startedAt + settings.probeTimeout)
        return isNew
    }

    /// What `gap` means for the run, and that it has happened.
    mutating func note(_ gap: UnwatchedTime) -> Restart {
        switch (gap, lateness) {
        case (.timerLate, .pressed), (.dozed, .pressed): return .none
        case (.timerLate, .restarted) where !isVerifying,
            (.timerLate(inARow: 2...), .punctual) where !isVerifying:
            lateness = .pressed
            return .round
        case (.dozed, .restarted) where !isVerifying:
            lateness = .pressed
            return .round
        case (.timerLate, .restarted), (.timerLate(inARow: 2...), .punctual), (.dozed, .restarted):
            // Nothing has failed yet in this verification, so no T1 runs: let its round end.
            return .none
        case (.timerLate, .punctual), (.dozed, .punctual):
            lateness = .restarted
            return .run
        case (.suspended, .punctual), (.suspended, .restarted), (.suspended, .pressed): return .run
        }
    }
}
