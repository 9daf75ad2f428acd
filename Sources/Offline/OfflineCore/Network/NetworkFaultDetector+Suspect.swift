import Base

/// Suspicion: T1 runs, rounds of probes run, the first success that counts ends it.
///
/// A round counts as failed after `probeTimeout`, but the hub's probe in it continues: a response that
/// arrives before T1's end still cancels T1, so that a slow hub is not taken for a dark one.
extension NetworkFaultDetector {
    /// The first failure of a run: T1 begins and a round runs at once.
    ///
    /// - Parameter run: the verification before it in the same run, which had not failed yet.
    mutating func openSuspicion(
        _ evidence: NetworkEvidence, after run: Suspicion? = nil, isBackendDown: Bool = false,
        at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        note(failure: evidence)
        var suspicion = Suspicion(
            kinds: evidence.kinds.union(run?.kinds ?? []), openedAt: now,
            commitsAt: now + (isPathLost ? settings.pathDebounce : debounce),
            step: .waiting(until: now), isBackendDown: isBackendDown)
        suspicion.lateness = run?.lateness ?? .punctual
        if suspicion.isOfSilence, !isBackendDown { silences.silenceBegan(at: now) }
        startRound(in: &suspicion, at: now, &effects)
        settle(suspicion, isNew: true, at: now)
    }

    /// Probes before the network counts as reachable: no failure yet, so T1 does not run.
    mutating func verify(
        _ evidence: NetworkEvidence, kinds: SuspicionKinds, after run: Suspicion, from start: Instant,
        at now: Instant
    ) {
        trail.note(evidence)
        var suspicion = Suspicion(
            kinds: kinds, openedAt: now, commitsAt: nil, step: .waiting(until: start),
            isBackendDown: run.isBackendDown)
        suspicion.lateness = run.lateness
        settle(suspicion, isNew: true, at: now)
    }

    /// A further failure of the run: it may add a kind of evidence, never time.
    mutating func note(_ evidence: NetworkEvidence, in suspicion: inout Suspicion) {
        note(failure: evidence)
        // Without a path everything fails for that one reason.
        if !isPathLost { suspicion.kinds.formUnion(evidence.kinds) }
        if !suspicion.isOfSilence { silences.silenceWasNone() }
    }

    /// The round's probe got no response in time. After a failed name resolution the reason stays DNS: a
    /// resolver that does not respond delays the probe too.
    private mutating func noteSilence(in suspicion: inout Suspicion) {
        guard signals.lastFailure?.isOfNames == true else {
            return note(.probeFailed(.silent), in: &suspicion)
        }
        suspicion.kinds.formUnion(.silence)
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

    /// Advances the suspicion by what is due, then keeps it or confirms the fault.
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

    /// Closes a round that is over, confirms the fault if T1 has ended, and stores the suspicion otherwise.
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

    /// Without a path the round counts as failed; while a path settles no fault is confirmed.
    private func mayCommit(_ suspicion: Suspicion) -> Bool {
        switch path {
        case .lost: true
        case .returning: false
        case .unknown, .usable: suspicion.roundFailed
        }
    }

    private mutating func close(_ round: ProbeRound, in suspicion: inout Suspicion) {
        suspicion.roundFailed = true
        let responded = round.internet == .responded
        if suspicion.internetResponded != responded { revision += 1 }
        suspicion.internetResponded = responded
        if suspicion.echoResponded != round.echoResponded { revision += 1 }
        suspicion.echoResponded = round.echoResponded
        suspicion.step = .waiting(until: round.startedAt + settings.probeTimeout)
    }

    private mutating func confirmFault(_ suspicion: Suspicion, at now: Instant) {
        let isBackendDown = pathWorks(suspicion)
        if !(isBackendDown && suspicion.isBackendDown) { flaps.note(at: now) }
        if isBackendDown { silences.silenceWasNone() } else { silences.wasConfirmed() }
        if isBackendDown, suspicion.internetResponded { trail.note(.internetResponded) }
        beginOutage(isBackendDown: isBackendDown, firstProbe: nil, at: now)
    }

    /// Whether the last full round shows that only the hub is dark: the independent address responded or,
    /// where none is configured, the hub's address responded to pings.
    ///
    /// Pings prove nothing where somebody else responds in the hub's place, because they may reach that
    /// address. They prove nothing either where the hub's name cannot be resolved, because they go to an
    /// address that was learned before.
    func pathWorks(_ suspicion: Suspicion) -> Bool {
        guard suspicion.roundFailed, !isPathLost else { return false }
        if settings.probesInternet { return suspicion.internetResponded }
        return suspicion.echoResponded && !suspicion.kinds.contains(.portal)
            && signals.lastFailure?.isOfNames != true
    }
}
