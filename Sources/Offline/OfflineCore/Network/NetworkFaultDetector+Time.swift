import Base

/// Path changes, deadlines, unwatched time, and a retry that a person requests.
extension NetworkFaultDetector {
    mutating func pathChanged(_ status: PathStatus, at now: Instant) -> [NetworkEffect] {
        let before = signals.path
        guard before != status else { return [] }
        signals.path = status
        revision += 1
        guard status.isUsable else { return pathWentAway(at: now) }
        switch path {
        case .unknown: path = .usable
        case .lost: path = .returning(settlesAt: now + settings.settle)
        case .returning: break
        case .usable:
            guard before?.route != status.route || before?.interface != status.interface else { return [] }
            moveToNewPath(at: now)
        }
        return []
    }

    private mutating func pathWentAway(at now: Instant) -> [NetworkEffect] {
        let wasReturning = path != .unknown && path != .usable
        path = .lost
        guard !wasReturning || isReachable else { return [] }
        beginEpoch(at: now)
        var effects: [NetworkEffect] = []
        switch phase {
        case .reachable: openSuspicion(.pathLost, at: now, &effects)
        case .suspect(var suspicion):
            guard let commitsAt = suspicion.commitsAt else {
                openSuspicion(
                    .pathLost, after: suspicion, isBackendDown: suspicion.isBackendDown, at: now, &effects)
                break
            }
            note(failure: .pathLost)
            suspicion.kinds.formUnion(.path)
            suspicion.commitsAt = min(commitsAt, suspicion.openedAt + settings.pathDebounce)
            suspicion.roundFailed = false
            startRound(in: &suspicion, at: now, &effects)
            settle(suspicion, isNew: false, at: now)
        case .unreachable(let outage):
            note(failure: .pathLost)
            phase = .unreachable(resetBackoff(of: outage, probeAt: now + settings.outageProbeFirst))
        case .backendDown:
            openSuspicion(.pathLost, isBackendDown: true, at: now, &effects)
        case .recovering(let recovery):
            guard !recovery.isBackendDown else {
                openSuspicion(.pathLost, isBackendDown: true, at: now, &effects)
                break
            }
            note(failure: .pathLost)
            beginOutage(isBackendDown: false, firstProbe: nil, at: now)
        }
        return effects
    }

    /// The path was stable for the settling time: pending probes of the old one are void, the hub is probed
    /// again.
    private mutating func pathReturned(at now: Instant) {
        path = .usable
        pings = .noResponse
        beginEpoch(at: now)
        switch phase {
        case .reachable(let watch): lookAgain(watch, at: now)
        case .suspect(var suspicion):
            guard !suspicion.kinds.isSubset(of: [.path, .unverified]) || suspicion.isVerifying else {
                return verify(
                    .pathBack, kinds: suspicion.kinds.subtracting(.path), after: suspicion, from: now, at: now
                )
            }
            trail.note(.pathBack)
            suspicion.roundFailed = false
            suspicion.step = .waiting(until: now)
            phase = .suspect(suspicion)
        case .unreachable(let outage):
            trail.note(.pathBack)
            phase = .unreachable(resetBackoff(of: outage, probeAt: now))
        case .backendDown(let outage):
            phase = .backendDown(resetBackoff(of: outage, probeAt: now))
        case .recovering(let recovery):
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: now, at: now)
        }
    }

    /// Another usable path: it is probed once it has settled, and T1 is not extended.
    private mutating func moveToNewPath(at now: Instant) {
        pings = .noResponse
        beginEpoch(at: now)
        let settled = now + settings.settle
        switch phase {
        case .reachable(let watch): lookAgain(watch, at: settled)
        case .suspect(var suspicion):
            trail.note(.pathChanged)
            suspicion.roundFailed = false
            suspicion.step = .waiting(until: settled)
            phase = .suspect(suspicion)
        case .unreachable(let outage):
            trail.note(.pathChanged)
            phase = .unreachable(resetBackoff(of: outage, probeAt: settled))
        case .backendDown(let outage):
            phase = .backendDown(resetBackoff(of: outage, probeAt: settled))
        case .recovering(let recovery):
            trail.note(.pathChanged)
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: settled, at: now)
        }
    }

    mutating func retryRequested(at now: Instant) -> [NetworkEffect] {
        var effects: [NetworkEffect] = []
        switch phase {
        case .reachable(var watch):
            watch.nextProbe = now
            watchDue(watch, at: now, &effects)
        case .suspect(var suspicion):
            if case .waiting = suspicion.step { suspicion.step = .waiting(until: now) }
            suspicionDue(suspicion, at: now, &effects)
        case .unreachable(let outage):
            phase = .unreachable(outageDue(hurried(outage, at: now), at: now, &effects))
        case .backendDown(let outage):
            phase = .backendDown(outageDue(hurried(outage, at: now), at: now, &effects))
        case .recovering(var recovery):
            if recovery.probe == nil { recovery.nextProbe = now }
            recoveryDue(recovery, at: now, &effects)
        }
        return effects
    }

    private func hurried(_ outage: Outage, at now: Instant) -> Outage {
        switch outage.step {
        case .waiting: return resetBackoff(of: outage, probeAt: now)
        case .round:
            var outage = outage
            outage.tries = 0
            return outage
        }
    }

    /// Time passed unwatched. It confirms no fault: pending probes are void and T1 starts again. A second
    /// late timer in a row keeps T1 and starts one new round, so that a loaded till still decides.
    mutating func timeUnwatched(_ gap: UnwatchedTime, at now: Instant) -> [NetworkEffect] {
        let settled = now + settings.settle
        switch phase {
        case .reachable(let watch):
            guard !gap.isRepeated else { return [] }
            beginEpoch(at: now)
            lookAgain(watch, at: settled)
        case .suspect(let suspicion):
            timeUnwatchedWhileSuspect(gap, suspicion, at: now)
        case .unreachable(var outage):
            guard !gap.isRepeated else { return [] }
            beginEpoch(at: now)
            outage.step = .waiting(until: settled)
            phase = .unreachable(outage)
        case .backendDown(var outage):
            guard !gap.isRepeated else { return [] }
            beginEpoch(at: now)
            outage.step = .waiting(until: settled)
            phase = .backendDown(outage)
        case .recovering(let recovery):
            guard !gap.isRepeated else { return [] }
            beginEpoch(at: now)
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: settled, at: now)
        }
        return []
    }

    private mutating func timeUnwatchedWhileSuspect(
        _ gap: UnwatchedTime, _ suspicion: Suspicion, at now: Instant
    ) {
        var suspicion = suspicion
        switch (gap, suspicion.lateness) {
        case (.timerLate, .pressed):
            return
        case (.timerLate, .restarted) where !suspicion.isVerifying,
            (.timerLate(inARow: 2...), .punctual) where !suspicion.isVerifying:
            suspicion.lateness = .pressed
            beginEpoch(at: now)
            suspicion.roundFailed = false
            suspicion.step = .waiting(until: now)
            phase = .suspect(suspicion)
        case (.timerLate, .restarted), (.timerLate(inARow: 2...), .punctual):
            // Nothing has failed yet in this verification, so no T1 runs: let its round end.
            return
        case (.timerLate, .punctual):
            suspicion.lateness = .restarted
            restart(suspicion, at: now)
        case (.suspended, .punctual), (.suspended, .restarted), (.suspended, .pressed):
            restart(suspicion, at: now)
        }
    }

    private mutating func restart(_ suspicion: Suspicion, at now: Instant) {
        beginEpoch(at: now)
        // A path that is still lost is a failure observed now, not during the suspension.
        guard !isPathLost else {
            var suspicion = suspicion
            suspicion.commitsAt = now + settings.pathDebounce
            suspicion.step = .waiting(until: now + settings.settle)
            suspicion.roundFailed = false
            phase = .suspect(suspicion)
            return
        }
        verify(.resumed, kinds: suspicion.kinds, after: suspicion, from: now + settings.settle, at: now)
    }

    mutating func deadlineReached(at now: Instant) -> [NetworkEffect] {
        if case .returning(let settlesAt) = path, now >= settlesAt { pathReturned(at: now) }
        var effects: [NetworkEffect] = []
        switch phase {
        case .reachable(let watch): watchDue(watch, at: now, &effects)
        case .suspect(let suspicion): suspicionDue(suspicion, at: now, &effects)
        case .unreachable(let outage):
            settle(unreachable: outageDue(outage, at: now, &effects), at: now)
        case .backendDown(let outage):
            settle(backendDown: outageDue(outage, at: now, &effects), at: now, &effects)
        case .recovering(let recovery): recoveryDue(recovery, at: now, &effects)
        }
        return effects
    }
}

extension UnwatchedTime {
    /// A late timer after another late one: the till is loaded, not suspended.
    fileprivate var isRepeated: Bool {
        switch self {
        case .suspended, .timerLate(inARow: ...1): false
        case .timerLate: true
        }
    }
}
