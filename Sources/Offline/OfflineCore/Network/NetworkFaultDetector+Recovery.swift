import Base

/// The hub responds again: three good probes of four, and T2, before the network counts as reachable.
extension NetworkFaultDetector {
    mutating func beginRecovery(isBackendDown: Bool, at now: Instant) {
        if !isBackendDown { silences.cameBack(at: now) }
        enter(
            .recovering(
                Recovery(
                    results: 1, made: 1, firstGoodAt: now, holdEnds: now + hold(at: now),
                    nextProbe: now + settings.recoveryProbeInterval, probe: nil, isBackendDown: isBackendDown)
            ),
            at: now)
    }

    /// T2 of a recovery that begins now.
    private func hold(at now: Instant) -> Duration {
        switch settings.debounceRule {
        case .fixed: flaps.hold(at: now, settings: settings)
        case .learned: silences.hold
        }
    }

    /// Records one probe of the recovery, then continues, completes or abandons it.
    mutating func note(probeWasGood isGood: Bool, in recovery: Recovery, at now: Instant) {
        var recovery = recovery
        recovery.probe = nil
        recovery.note(good: isGood)
        if isGood { silences.wasGood(at: now) }
        settle(recovery, at: now)
    }

    /// Advances a recovery by what is due.
    mutating func recoveryDue(_ recovery: Recovery, at now: Instant, _ effects: inout [NetworkEffect]) {
        var recovery = recovery
        if let probe = recovery.probe, now >= probe.failsAt {
            recovery.probe = nil
            recovery.note(good: false)
        }
        if recovery.probe == nil, now >= recovery.nextProbe {
            let tag = probes.next()
            effects.append(.sendProbe(tag, .hub, timeout: settings.probeTimeout))
            recovery.probe = ProbeInFlight(
                sequence: tag.sequence, failsAt: now + settings.probeTimeout + settings.clockTolerance)
            recovery.nextProbe = now + settings.recoveryProbeInterval
        }
        settle(recovery, at: now)
    }

    func deadline(of recovery: Recovery) -> Instant {
        let step = recovery.probe?.failsAt ?? recovery.nextProbe
        return recovery.good >= 3 ? min(step, recovery.holdEnds) : step
    }

    private mutating func settle(_ recovery: Recovery, at now: Instant) {
        if recovery.good >= 3, now >= recovery.holdEnds {
            silences.wasBelieved()
            becomeReachable(at: now)
        } else if recovery.bad >= 3 {
            silences.fellBack()
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: nil, at: now)
        } else {
            phase = .recovering(recovery)
        }
    }
}
