/// Doubt: T1 runs, rounds ask, the first qualified success ends it.
extension NetworkFaultDetector {
    /// The first failure of a run: T1 begins and a round runs at once.
    ///
    /// - Parameter run: what went before in the same run: a look that has not failed yet.
    mutating func openSuspicion(
        _ evidence: NetworkEvidence, after run: Suspicion? = nil, isBackendDown: Bool = false,
        at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        note(failure: evidence)
        var suspicion = Suspicion(
            doubt: evidence.doubt.union(run?.doubt ?? []), openedAt: now,
            commitsAt: now + (isPathLost ? settings.pathDebounce : debounce),
            step: .waiting(until: now), isBackendDown: isBackendDown)
        suspicion.lateness = run?.lateness ?? .punctual
        if suspicion.isOfSilence, !isBackendDown { silences.silenceBegan(at: now) }
        startRound(in: &suspicion, at: now, &effects)
        settle(suspicion, isNew: true, at: now)
    }

    /// Looks before believing: no failure yet, so T1 does not run.
    mutating func verify(
        _ evidence: NetworkEvidence, doubt: Doubt, after run: Suspicion, from start: Instant, at now: Instant
    ) {
        trail.note(evidence)
        var suspicion = Suspicion(
            doubt: doubt, openedAt: now, commitsAt: nil, step: .waiting(until: start),
            isBackendDown: run.isBackendDown)
        suspicion.lateness = run.lateness
        settle(suspicion, isNew: true, at: now)
    }

    /// A further failure of the run: it may add a kind of doubt, never time.
    mutating func note(_ evidence: NetworkEvidence, in suspicion: inout Suspicion) {
        note(failure: evidence)
        // Without a path everything fails, and for that one reason.
        if !isPathLost { suspicion.doubt.formUnion(evidence.doubt) }
        if !suspicion.isOfSilence { silences.silenceWasNone() }
    }

    mutating func startRound(
        in suspicion: inout Suspicion, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        var round = beginRound(pings: isPinging ? settings.roundPings.count : 0, at: now, &effects)
        sendDuePings(of: &round, at: now, &effects)
        suspicion.step = .round(round)
    }

    /// Moves the suspicion on by what is due, then keeps it or convicts.
    mutating func suspicionDue(_ suspicion: Suspicion, at now: Instant, _ effects: inout [NetworkEffect]) {
        var suspicion = suspicion
        switch suspicion.step {
        case .waiting(let until):
            if now >= until { startRound(in: &suspicion, at: now, &effects) }
        case .round(var round):
            sendDuePings(of: &round, at: now, &effects)
            if now >= round.expiresAt { round.expire() }
            suspicion.step = .round(round)
            if suspicion.isVerifying, round.hub == .failed {
                return openSuspicion(
                    .probeFailed(.silent), after: suspicion, isBackendDown: suspicion.isBackendDown, at: now,
                    &effects)
            }
        }
        settle(suspicion, isNew: false, at: now)
    }

    /// Closes a round that is over, convicts if T1 has ended, and stores the suspicion otherwise.
    mutating func settle(_ suspicion: Suspicion, isNew: Bool, at now: Instant) {
        var suspicion = suspicion
        if case .round(let round) = suspicion.step, round.isOver { close(round, in: &suspicion) }
        if let commitsAt = suspicion.commitsAt, now >= commitsAt, mayCommit(suspicion) {
            return convict(suspicion, at: now)
        }
        if isNew {
            enter(.suspect(suspicion), at: now)
        } else {
            phase = .suspect(suspicion)
        }
    }

    func deadline(of suspicion: Suspicion) -> Instant {
        let step: Instant
        switch suspicion.step {
        case .waiting(let until): step = until
        case .round(let round): step = min(nextPing(of: round) ?? round.expiresAt, round.expiresAt)
        }
        guard let commitsAt = suspicion.commitsAt, mayCommit(suspicion) else { return step }
        return min(step, commitsAt)
    }

    /// Without a path the round counts as failed; while one settles nothing is committed.
    private func mayCommit(_ suspicion: Suspicion) -> Bool {
        switch path {
        case .lost: true
        case .returning: false
        case .unknown, .usable: suspicion.roundFailed
        }
    }

    private mutating func close(_ round: ProbeRound, in suspicion: inout Suspicion) {
        suspicion.roundFailed = true
        let answered = round.internet == .answered
        if suspicion.internetAnswered != answered { revision += 1 }
        suspicion.internetAnswered = answered
        suspicion.step = .waiting(until: round.startedAt + settings.probeTimeout)
    }

    private mutating func convict(_ suspicion: Suspicion, at now: Instant) {
        let isBackendDown = suspicion.internetAnswered && !isPathLost
        if !(isBackendDown && suspicion.isBackendDown) { flaps.note(at: now) }
        if isBackendDown { silences.silenceWasNone() } else { silences.wasConvicted() }
        beginOutage(isBackendDown: isBackendDown, firstProbe: nil, at: now)
    }
}
