import Base

/// A confirmed fault: probes test at growing intervals whether it is over.
struct Outage: Hashable, Codable, Sendable {
    let since: Instant
    /// It comes from the last run: one success ends it.
    let isTakenOver: Bool
    private(set) var step: ProbeStep
    /// Probes sent since the last reset of the backoff.
    private var tries = 0

    /// The last run ended with the network down: it is probed at once.
    init(takenOverAt now: Instant) {
        since = now
        isTakenOver = true
        step = .waiting(until: now)
    }

    /// - Parameter firstProbe: when to probe first; nil for the first wait of the schedule.
    init(
        firstProbe: Instant?, _ settings: NetworkSettings, _ random: inout SplitMix64, at now: Instant
    ) {
        since = now
        isTakenOver = false
        step = .waiting(until: now)
        wait(until: firstProbe ?? nextProbe(after: now, settings, &random, at: now))
    }

    var deadline: Instant {
        switch step {
        case .waiting(let until): until
        case .round(let round): round.expiresAt
        }
    }

    /// Probes at `moment`; the schedule of waits goes on.
    mutating func wait(until moment: Instant) { step = .waiting(until: moment) }

    /// Probes at `moment` and starts the schedule of waits again.
    mutating func resetBackoff(probeAt moment: Instant) {
        tries = 0
        wait(until: moment)
    }

    /// A person requests a retry: the next probe is due now, and one that runs continues.
    mutating func retry(at now: Instant) {
        tries = 0
        if case .waiting = step { wait(until: now) }
    }

    /// Probes when it is due, and ends a round whose time is over.
    mutating func advance(
        _ settings: NetworkSettings, _ probes: inout ProbeNumbers, at now: Instant,
        _ effects: inout [NetworkEffect]
    ) {
        switch step {
        case .waiting(let until):
            guard now >= until else { return }
            step = .round(
                ProbeRound(
                    pings: 0, hubTimeout: settings.probeTimeout, settings, &probes, at: now, &effects))
        case .round: step.update { $0.expire(at: now) }
        }
    }

    /// A round ended without a response of the hub: the next one waits for its time.
    mutating func waitAfter(
        _ round: ProbeRound, _ settings: NetworkSettings, _ random: inout SplitMix64, at now: Instant
    ) {
        wait(until: nextProbe(after: round.startedAt, settings, &random, at: now))
    }

    mutating func hubFailed(_ tag: ProbeTag) { step.update { $0.hubFailed(sequence: tag.sequence) } }

    mutating func internetEnded(responded: Bool, _ tag: ProbeTag) {
        step.update { $0.internetEnded(responded: responded, sequence: tag.sequence) }
    }

    /// 1 s, 1 s, 2 s, 4 s … up to the cap, then jitter.
    ///
    /// Counted from the `start` of the last probe, so that its timeout does not delay the recovery. Still, at
    /// least the first wait passes after the end of each probe.
    private mutating func nextProbe(
        after start: Instant, _ settings: NetworkSettings, _ random: inout SplitMix64, at now: Instant
    ) -> Instant {
        var wait = settings.outageProbeFirst
        for _ in 0..<max(0, min(tries, 32) - 1) where wait < settings.outageProbeCap {
            wait = wait * 2
        }
        wait = min(wait, settings.outageProbeCap)
        tries += 1
        let pause = random.jittered(
            min(wait, settings.outageProbeFirst), perMille: settings.outageJitterPerMille)
        return max(start + random.jittered(wait, perMille: settings.outageJitterPerMille), now + pause)
    }
}
