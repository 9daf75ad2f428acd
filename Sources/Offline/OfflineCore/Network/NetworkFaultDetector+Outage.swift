import Base

/// The fault is confirmed: probes test at growing intervals whether it is over.
extension NetworkFaultDetector {
    /// - Parameter firstProbe: when to probe first; nil for the first wait of the schedule.
    mutating func beginOutage(isBackendDown: Bool, firstProbe: Instant?, at now: Instant) {
        var outage = Outage(since: now, isTakenOver: false, step: .waiting(until: now))
        outage.step = .waiting(
            until: firstProbe ?? nextProbe(of: &outage, after: now, at: now))
        if isBackendDown { trail.note(.hubDark) }
        note(hubTrouble: isBackendDown ? .silent : .none)
        enter(isBackendDown ? .backendDown(outage) : .unreachable(outage), at: now)
    }

    /// Probes at `moment` and starts the schedule of waits again.
    func resetBackoff(of outage: Outage, probeAt moment: Instant) -> Outage {
        var outage = outage
        outage.tries = 0
        outage.step = .waiting(until: moment)
        return outage
    }

    /// Advances an outage by what is due.
    mutating func outageDue(_ outage: Outage, at now: Instant, _ effects: inout [NetworkEffect]) -> Outage {
        var outage = outage
        switch outage.step {
        case .waiting(let until):
            guard now >= until else { break }
            outage.step = .round(
                beginRound(pings: 0, hubTimeout: settings.probeTimeout, at: now, &effects))
        case .round(var round):
            if now >= round.expiresAt { round.expire() }
            outage.step = .round(round)
        }
        return outage
    }

    /// Stores an outage of the network, or turns it into a silent hub when only the internet responds.
    mutating func settle(unreachable outage: Outage, at now: Instant) {
        var outage = outage
        if case .round(let round) = outage.step, round.isOver {
            guard round.internet != .responded else {
                trail.note(.internetResponded)
                return beginOutage(isBackendDown: true, firstProbe: nil, at: now)
            }
            outage.step = .waiting(
                until: nextProbe(of: &outage, after: round.startedAt, at: now))
        }
        phase = .unreachable(outage)
    }

    /// Stores an outage of the hub, or suspects the network when the independent address went silent too.
    ///
    /// Without such an address nothing else is probed: pings end nothing here, and the cause stays until the
    /// hub responds or the path is lost.
    mutating func settle(backendDown outage: Outage, at now: Instant, _ effects: inout [NetworkEffect]) {
        var outage = outage
        if case .round(let round) = outage.step, round.isOver {
            guard round.internet != .failed else {
                return openSuspicion(.internetSilent, isBackendDown: true, at: now, &effects)
            }
            outage.step = .waiting(
                until: nextProbe(of: &outage, after: round.startedAt, at: now))
        }
        phase = .backendDown(outage)
    }

    func deadline(of outage: Outage) -> Instant {
        switch outage.step {
        case .waiting(let until): until
        case .round(let round): round.expiresAt
        }
    }

    /// 1 s, 1 s, 2 s, 4 s … up to the cap, then jitter.
    ///
    /// Counted from the `start` of the last probe, so that its timeout does not delay the recovery. Still, at
    /// least the first wait passes after the end of each probe.
    private mutating func nextProbe(
        of outage: inout Outage, after start: Instant, at now: Instant
    ) -> Instant {
        var wait = settings.outageProbeFirst
        for _ in 0..<max(0, min(outage.tries, 32) - 1) where wait < settings.outageProbeCap {
            wait = wait * 2
        }
        wait = min(wait, settings.outageProbeCap)
        outage.tries += 1
        let pause = random.jittered(
            min(wait, settings.outageProbeFirst), perMille: settings.outageJitterPerMille)
        return max(start + random.jittered(wait, perMille: settings.outageJitterPerMille), now + pause)
    }
}
