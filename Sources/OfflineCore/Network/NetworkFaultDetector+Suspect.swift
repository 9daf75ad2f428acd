/// Doubt: T1 runs, rounds ask, the first qualified success ends it.
///
/// A round counts as failed after `probeTimeout`, yet the hub's probe in it runs on: a response that arrives
/// before T1's end still cancels T1, so that a slow hub is not a dark one.
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

    /// The round's probe has brought nothing in its time. After a name that had no address the reason stays
    /// that: a resolver that answers nothing keeps the probe waiting too.
    private mutating func noteSilence(in suspicion: inout Suspicion) {
        guard signals.lastFailure?.isOfNames == true else {
            return note(.probeFailed(.silent), in: &suspicion)
        }
        suspicion.doubt.formUnion(.silence)
    }

    mutating func startRound(
        in suspicion: inout Suspicion, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        var round = beginRound(
            pings: isPinging ? settings.roundPings.count : 0,
            hubTimeout: max(settings.requestTimeout, settings.probeTimeout), at: now, &effects)
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
            let isOverdue = round.hub == .awaited && now >= round.hubFailsAt
            if isOverdue { round.hub = .failed }
            if now >= round.expiresAt { round.expire() }
            suspicion.step = .round(round)
            if isOverdue, !suspicion.isVerifying { noteSilence(in: &suspicion) }
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
            return confirmFault(suspicion, at: now)
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
        case .round(let round):
            let end = round.hub == .awaited ? round.hubFailsAt : round.expiresAt
            step = min(nextPing(of: round) ?? end, end)
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
        if suspicion.echoAnswered != round.echoAnswered { revision += 1 }
        suspicion.echoAnswered = round.echoAnswered
        suspicion.step = .waiting(until: round.startedAt + settings.probeTimeout)
    }

    private mutating func confirmFault(_ suspicion: Suspicion, at now: Instant) {
        let isBackendDown = pathWorks(suspicion)
        if !(isBackendDown && suspicion.isBackendDown) { flaps.note(at: now) }
        if isBackendDown { silences.silenceWasNone() } else { silences.wasConfirmed() }
        if isBackendDown, suspicion.internetAnswered { trail.note(.internetAnswered) }
        beginOutage(isBackendDown: isBackendDown, firstProbe: nil, at: now)
    }

    /// Whether the last full round says that only the hub is dark: the independent address answered or,
    /// where none is configured, the hub's own pings did.
    ///
    /// Pings prove nothing where somebody else answers in the hub's place, whose address they may reach, nor
    /// where the hub's name has no address: they go to one that was learned before.
    func pathWorks(_ suspicion: Suspicion) -> Bool {
        guard suspicion.roundFailed, !isPathLost else { return false }
        if settings.asksInternet { return suspicion.internetAnswered }
        return suspicion.echoAnswered && !suspicion.doubt.contains(.portal)
            && signals.lastFailure?.isOfNames != true
    }
}
