import Base

/// Decides whether the network to the hub works.
///
/// The first failure opens a suspicion: a confirmation round of probe and pings runs at once and T1 begins.
/// Any verified HTTP response ends it. If none comes, the fault is confirmed at T1's end, once a full round
/// has failed. Recovery is slower: three of the last four probes must be good and T2 must have passed since
/// the first good one.
///
/// Silence of pings opens a suspicion only where pings are known to get responses, and it alone confirms no
/// fault. A response to a ping ends a suspicion that only missing pings opened. Otherwise it decides only the
/// cause: with it the hub is dark, without it the network is down. It never ends an outage.
///
/// The machine holds the transitions. What a phase keeps is a value of its own: ``IdleSchedule``,
/// ``Suspicion``, ``Outage``, ``Recovery``; so is what outlives a phase: ``PathWatch``,
/// ``NetworkObservations``, ``ProbeNumbers``, ``FlapHistory``.
struct NetworkFaultDetector: Hashable, Codable, Sendable {
    private(set) var settings: NetworkSettings
    private(set) var phase: NetworkPhase
    /// When the present phase began.
    private(set) var since: Instant
    private(set) var path = PathWatch()
    private(set) var observed: NetworkObservations
    private(set) var probes: ProbeNumbers
    private var flaps = FlapHistory()
    /// Whether the machine has dozed since the hub last responded.
    private var hasDozed = false
    private var random: SplitMix64
    /// Counts changes of the phase, the settings and what a round showed.
    private var changes: UInt64 = 0

    init(settings: NetworkSettings, startup: StartupState, seed: UInt64, at now: Instant) {
        self.settings = settings
        random = SplitMix64(seed: seed)
        since = now
        probes = ProbeNumbers(at: now)
        observed = NetworkObservations(startup: startup)
        if startup.networkWasDown {
            phase = .unreachable(Outage(takenOverAt: now))
            observed.note(.takenOver)
        } else {
            phase = .suspect(Suspicion(kinds: .unverified, commitsAt: nil, from: now, at: now))
            observed.note(.starting)
        }
    }

    /// Other numbers apply from now on; what already runs keeps its end.
    mutating func take(_ settings: NetworkSettings) {
        self.settings = settings
        changes += 1
    }

    mutating func handle(_ event: NetworkEvent, at now: Instant) -> [NetworkEffect] {
        var effects: [NetworkEffect] = []
        switch event {
        case .responseObserved(let firstByteAt, let latency, let isWell):
            guard probes.includes(firstByteAt) else { break }
            observed.noteHubResponse(latency: latency, isWell: isWell, at: now)
            hubResponded(to: nil, firstByteAt: firstByteAt, at: now)
        case .bytesMoved(let since): bytesMoved(since: since, at: now)
        case .pingFinished(let tag, let result):
            guard probes.counts(tag), path.isPinging else { break }
            pingFinished(tag, result, at: now, &effects)
        case .probeFinished(let tag, .hub, let result):
            guard probes.counts(tag) else { break }
            hubProbeFinished(tag, result, at: now, &effects)
        case .probeFinished(let tag, .internet, let result):
            guard probes.counts(tag) else { break }
            internetProbeFinished(tag, responded: result.isResponse, at: now, &effects)
        case .failureObserved(let evidence, let startedAt):
            guard probes.includes(startedAt) else { break }
            failed(evidence, of: nil, at: now, &effects)
        case .pathChanged(let status): pathChanged(status, at: now, &effects)
        case .queryWithoutResponse(let startedAt):
            guard probes.includes(startedAt), case .reachable(let idle) = phase else { break }
            queryWithoutResponse(idle, at: now, &effects)
        case .retryRequested: retryRequested(at: now, &effects)
        case .timeUnwatched(let gap): timeUnwatched(gap, at: now)
        case .deadlineReached: deadlineReached(at: now, &effects)
        }
        return effects
    }

    // MARK: State for the other machines

    /// Counts changes of the status, the evidence excepted.
    var revision: UInt64 { changes &+ observed.revision &+ path.revision }

    /// The number of a ping or probe that is sent now.
    mutating func nextTag() -> ProbeTag { probes.next() }

    // MARK: Changes of the phase

    private mutating func enter(_ next: NetworkPhase, at now: Instant) {
        phase = next
        since = now
        changes += 1
    }

    /// From here on, responses to earlier probes are recorded and change nothing.
    private mutating func beginEpoch(at now: Instant) {
        probes.beginEpoch(at: now)
    }

    /// `trailingProbe` is a hub probe that is pending; the silence of earlier ones is old.
    private mutating func becomeReachable(trailingProbe: ProbeInFlight? = nil, at now: Instant) {
        observed.clearTrail()
        probes.becameReachable(trailingProbe: trailingProbe?.sequence)
        enter(
            .reachable(IdleSchedule(trailingProbe: trailingProbe, idleIntervals, &random, at: now)), at: now)
    }

    /// The first failure of a run: T1 begins and a round runs at once.
    ///
    /// - Parameter run: the verification before it in the same run, which had not failed yet.
    private mutating func openSuspicion(
        _ evidence: NetworkEvidence, after run: Suspicion? = nil, isBackendDown: Bool = false,
        at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        observed.note(failure: evidence)
        var suspicion = Suspicion(
            kinds: evidence.kinds.union(run?.kinds ?? []), commitsAt: now + plantedDebounce, from: now,
            lateness: run?.lateness ?? .punctual, isBackendDown: run?.isBackendDown ?? isBackendDown,
            at: now)
        suspicion.startRound(isPinging: path.isPinging, settings, &probes, at: now, &effects)
        settle(suspicion, isNew: true, at: now)
    }

    private var plantedDebounce: Duration {
        nextDebounce - (PlantedBug.debounceTooShort.isPlanted ? .seconds(1) : .zero)
    }

    /// Probes before the network counts as reachable: no failure yet, so T1 does not run.
    private mutating func verify(
        _ evidence: NetworkEvidence, kinds: SuspicionKinds, after run: Suspicion, from start: Instant,
        at now: Instant
    ) {
        observed.note(evidence)
        let suspicion = Suspicion(
            kinds: kinds, commitsAt: nil, from: start, lateness: run.lateness,
            isBackendDown: run.isBackendDown, at: now)
        settle(suspicion, isNew: true, at: now)
    }

    /// Closes a round that is over, confirms the fault if T1 has ended, and stores the suspicion otherwise.
    private mutating func settle(_ suspicion: Suspicion, isNew: Bool = false, at now: Instant) {
        var suspicion = suspicion
        if suspicion.closeEndedRound(settings) { changes += 1 }
        if suspicion.isDue(on: path.view, at: now) { return confirmFault(suspicion, at: now) }
        if isNew {
            enter(.suspect(suspicion), at: now)
        } else {
            phase = .suspect(suspicion)
        }
    }

    private mutating func confirmFault(_ suspicion: Suspicion, at now: Instant) {
        let isBackendDown = pathWorks(suspicion)
        if !(isBackendDown && suspicion.isBackendDown) { flaps.note(at: now) }
        if isBackendDown, suspicion.internetResponded { observed.note(.internetResponded) }
        beginOutage(isBackendDown: isBackendDown, at: now)
    }

    /// - Parameter firstProbe: when to probe first; nil for the first wait of the schedule.
    private mutating func beginOutage(isBackendDown: Bool, firstProbe: Instant? = nil, at now: Instant) {
        let outage = Outage(firstProbe: firstProbe, settings, &random, at: now)
        if isBackendDown { observed.note(.hubDark) }
        observed.note(hubTrouble: isBackendDown ? .silent : .none)
        enter(isBackendDown ? .backendDown(outage) : .unreachable(outage), at: now)
    }

    /// Stores an outage of the network, or turns it into a silent hub when only the internet responds.
    private mutating func settle(unreachable outage: Outage, at now: Instant) {
        var outage = outage
        if let round = outage.step.endedRound {
            guard round.internet != .responded else {
                observed.note(.internetResponded)
                return beginOutage(isBackendDown: true, at: now)
            }
            outage.waitAfter(round, settings, &random, at: now)
        }
        phase = .unreachable(outage)
    }

    /// Stores an outage of the hub, or suspects the network when the independent address went silent too.
    ///
    /// Without such an address nothing else is probed: pings end nothing here, and the cause stays until the
    /// hub responds or the path is lost.
    private mutating func settle(
        backendDown outage: Outage, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        var outage = outage
        if let round = outage.step.endedRound {
            guard round.internet != .failed else {
                return openSuspicion(.internetSilent, isBackendDown: true, at: now, &effects)
            }
            outage.waitAfter(round, settings, &random, at: now)
        }
        phase = .backendDown(outage)
    }

    private mutating func beginRecovery(isBackendDown: Bool, at now: Instant) {
        let hold = flaps.hold(at: now, settings: settings)
        enter(
            .recovering(Recovery(hold: hold, isBackendDown: isBackendDown, settings, at: now)), at: now)
    }

    /// Completes a recovery, abandons it, or lets it go on.
    private mutating func settle(_ recovery: Recovery, at now: Instant) {
        switch recovery.course(at: now) {
        case .complete:
            becomeReachable(at: now)
        case .failed:
            beginOutage(isBackendDown: recovery.isBackendDown, at: now)
        case .undecided: phase = .recovering(recovery)
        }
    }

    private var idleIntervals: IdleIntervals { IdleIntervals(settings, pingsWatch: path.pingsWatch) }

    // MARK: Pings

    private mutating func pingFinished(
        _ tag: ProbeTag, _ result: PingResult, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        switch result {
        case .responded: pingResponded(tag, at: now)
        case .timedOut: pingTimedOut(tag, at: now, &effects)
        case .unavailable: pingWasUnavailable(at: now)
        }
    }

    private mutating func pingResponded(_ tag: ProbeTag, at now: Instant) {
        let isFirst = path.pingResponded()
        switch phase {
        case .reachable(var idle):
            idle.pingResponded(redraw: isFirst ? idleIntervals : nil, &random, at: now)
            phase = .reachable(idle)
        case .suspect(var suspicion):
            suspicion.pingEnded(responded: true, tag)
            guard suspicion.endsWithPing else { return settle(suspicion, at: now) }
            becomeReachable(trailingProbe: suspicion.step.openHubProbe, at: now)
        case .unreachable, .backendDown, .recovering:
            // Only a response of the hub itself ends an outage.
            break
        }
    }

    private mutating func pingTimedOut(
        _ tag: ProbeTag, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        switch phase {
        case .reachable(var idle):
            guard idle.pingTimedOut(tag) else { return }
            phase = .reachable(idle)
            // Where no echo ever got a response, silence is normal on this path.
            if path.pingsWatch { openSuspicion(.pingTimedOut, at: now, &effects) }
        case .suspect(var suspicion):
            suspicion.pingEnded(responded: false, tag)
            if path.pingsWatch { observed.note(.pingTimedOut) }
            settle(suspicion, at: now)
        case .unreachable, .backendDown, .recovering: break
        }
    }

    private mutating func pingWasUnavailable(at now: Instant) {
        path.pingsAreUnavailable()
        switch phase {
        case .reachable(var idle):
            idle.pingsAreUnavailable(idleIntervals, &random, at: now)
            phase = .reachable(idle)
        case .suspect(var suspicion):
            suspicion.stopPinging()
            settle(suspicion, at: now)
        case .unreachable, .backendDown, .recovering: break
        }
    }

    // MARK: Probes and business calls

    private mutating func hubProbeFinished(
        _ tag: ProbeTag, _ result: ProbeResult, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        switch result {
        case .good(let roundTrip):
            observed.noteHubResponse(latency: roundTrip, isWell: true, at: now)
            observed.note(hubTrouble: .none)
            hubResponded(to: tag, firstByteAt: now, at: now)
        case .respondedBadly(let status, let roundTrip):
            observed.noteHubResponse(latency: roundTrip, isWell: false, at: now)
            // 429 means too many requests, which is no fault of the hub.
            observed.note(hubTrouble: status == 429 ? .none : .status(status))
            hubResponded(to: tag, firstByteAt: now, at: now)
        case .failed(let failure): hubProbeFailed(tag, .probeFailed(failure), at: now, &effects)
        case .portal(let portal): hubProbeFailed(tag, .probePortal(portal), at: now, &effects)
        }
    }

    /// The verified hub responded to the probe `tag`, or to a business call whose first byte arrived at
    /// `firstByteAt`: a call counts from then.
    private mutating func hubResponded(to tag: ProbeTag?, firstByteAt: Instant, at now: Instant) {
        hasDozed = false
        switch phase {
        case .reachable(var idle):
            idle.responded(at: now)
            phase = .reachable(idle)
        case .suspect(let suspicion):
            // Bytes that were buffered when the carrier was lost prove nothing; a probe of this path does.
            guard tag != nil || (firstByteAt >= suspicion.openedAt && !path.isLost) else { return }
            if suspicion.isBackendDown {
                beginRecovery(isBackendDown: true, at: now)
            } else {
                becomeReachable(at: now)
            }
        case .unreachable(let outage):
            if tag != nil || firstByteAt >= outage.since {
                hubCameBack(outage, isBackendDown: false, at: now)
            }
        case .backendDown(let outage):
            if tag != nil || firstByteAt >= outage.since {
                hubCameBack(outage, isBackendDown: true, at: now)
            }
        case .recovering(var recovery):
            guard let tag, recovery.awaits(tag) else { return }
            recovery.probeEnded(good: true)
            settle(recovery, at: now)
        }
    }

    /// A call fills the line by itself: pings and probes that wait behind it show nothing. Only a response
    /// ends an outage, a verification or the suspicion of a portal.
    private mutating func bytesMoved(since start: Instant, at now: Instant) {
        if case .suspect(let suspicion) = phase {
            guard start >= suspicion.openedAt, suspicion.isOfSilence, !suspicion.isVerifying,
                !suspicion.isBackendDown
            else { return }
        } else if !isReachable {
            return
        }
        hubResponded(to: nil, firstByteAt: start, at: now)
    }

    private mutating func hubCameBack(_ outage: Outage, isBackendDown: Bool, at now: Instant) {
        if outage.isTakenOver {
            becomeReachable(at: now)
        } else {
            beginRecovery(isBackendDown: isBackendDown, at: now)
        }
    }

    private mutating func hubProbeFailed(
        _ tag: ProbeTag, _ evidence: NetworkEvidence, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        // Silence from before the network last became reachable is old: a response came after it.
        guard probes.isFresh(tag) else { return }
        failed(evidence, of: tag, at: now, &effects)
    }

    /// The hub's probe `tag` failed, or a business call did or stalls.
    private mutating func failed(
        _ evidence: NetworkEvidence, of tag: ProbeTag?, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        switch phase {
        case .reachable: openSuspicion(evidence, at: now, &effects)
        case .suspect(var suspicion):
            guard !suspicion.isVerifying else {
                return openSuspicion(evidence, after: suspicion, at: now, &effects)
            }
            note(evidence, in: &suspicion)
            if let tag { suspicion.hubFailed(tag) }
            settle(suspicion, at: now)
        case .unreachable(var outage):
            observed.note(failure: evidence)
            guard let tag else { return }
            outage.hubFailed(tag)
            settle(unreachable: outage, at: now)
        case .backendDown(var outage):
            observed.note(failure: evidence)
            guard let tag else { return }
            outage.hubFailed(tag)
            settle(backendDown: outage, at: now, &effects)
        case .recovering(var recovery):
            guard let tag else { return observed.note(failure: evidence) }
            guard recovery.awaits(tag) else { return }
            observed.note(failure: evidence)
            recovery.probeEnded(good: false)
            settle(recovery, at: now)
        }
    }

    /// A further failure of the run: it may add a kind of evidence, never time.
    private mutating func note(_ evidence: NetworkEvidence, in suspicion: inout Suspicion) {
        observed.note(failure: evidence)
        // Without a path everything fails for that one reason.
        if !path.isLost { suspicion.note(evidence.kinds) }
    }

    private mutating func internetProbeFinished(
        _ tag: ProbeTag, responded: Bool, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        if responded { observed.noteInternetResponse(at: now) }
        switch phase {
        case .suspect(var suspicion):
            suspicion.internetEnded(responded: responded, tag)
            settle(suspicion, at: now)
        case .unreachable(var outage):
            outage.internetEnded(responded: responded, tag)
            settle(unreachable: outage, at: now)
        case .backendDown(var outage):
            outage.internetEnded(responded: responded, tag)
            settle(backendDown: outage, at: now, &effects)
        case .reachable, .recovering: break
        }
    }

    /// Sends a probe and a ping at once. The silence of QoS alone is no evidence on the network: a suspicion
    /// would freeze the service detector each time.
    private mutating func queryWithoutResponse(
        _ idle: IdleSchedule, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        var idle = idle
        // Where pings get responses they show a dead network 2 s sooner than the probe.
        idle.checkNow(pings: path.pingsWatch, at: now)
        idleDue(idle, at: now, &effects)
    }

    // MARK: The path

    private mutating func pathChanged(
        _ status: PathStatus, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        switch path.report(status, settle: settings.settle, at: now) {
        case .none: break
        case .lost(let again):
            guard !again || isReachable else { return }
            beginEpoch(at: now)
            pathWasLost(at: now, &effects)
        case .moved:
            beginEpoch(at: now)
            pathMoved(at: now)
        }
    }

    private mutating func pathWasLost(at now: Instant, _ effects: inout [NetworkEffect]) {
        switch phase {
        case .reachable: openSuspicion(.pathLost, at: now, &effects)
        case .suspect(var suspicion):
            guard !suspicion.isVerifying else {
                return openSuspicion(.pathLost, after: suspicion, at: now, &effects)
            }
            observed.note(failure: .pathLost)
            suspicion.pathWasLost(debounce: settings.pathDebounce)
            suspicion.startRound(isPinging: path.isPinging, settings, &probes, at: now, &effects)
            settle(suspicion, at: now)
        case .unreachable(var outage):
            observed.note(failure: .pathLost)
            outage.resetBackoff(probeAt: now + settings.outageProbeFirst)
            phase = .unreachable(outage)
        case .backendDown: openSuspicion(.pathLost, isBackendDown: true, at: now, &effects)
        case .recovering(let recovery):
            guard !recovery.isBackendDown else {
                return openSuspicion(.pathLost, isBackendDown: true, at: now, &effects)
            }
            observed.note(failure: .pathLost)
            beginOutage(isBackendDown: false, at: now)
        }
    }

    /// The path was stable for the settling time: pending probes of the old one are void, the hub is probed
    /// again.
    private mutating func pathReturned(at now: Instant) {
        path.settled()
        beginEpoch(at: now)
        switch phase {
        case .reachable(let idle): lookAgain(idle, at: now)
        case .suspect(var suspicion):
            guard !suspicion.kinds.isSubset(of: [.path, .unverified]) || suspicion.isVerifying else {
                return verify(
                    .pathBack, kinds: suspicion.kinds.subtracting(.path), after: suspicion, from: now, at: now
                )
            }
            observed.note(.pathBack)
            suspicion.discardRounds(next: now)
            phase = .suspect(suspicion)
        case .unreachable(var outage):
            observed.note(.pathBack)
            outage.resetBackoff(probeAt: now)
            phase = .unreachable(outage)
        case .backendDown(var outage):
            outage.resetBackoff(probeAt: now)
            phase = .backendDown(outage)
        case .recovering(let recovery):
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: now, at: now)
        }
    }

    /// Another usable path: it is probed once it has settled, and T1 is not extended.
    private mutating func pathMoved(at now: Instant) {
        let settled = now + settings.settle
        switch phase {
        case .reachable(let idle): lookAgain(idle, at: settled)
        case .suspect(var suspicion):
            observed.note(.pathChanged)
            suspicion.discardRounds(next: settled)
            phase = .suspect(suspicion)
        case .unreachable(var outage):
            observed.note(.pathChanged)
            outage.resetBackoff(probeAt: settled)
            phase = .unreachable(outage)
        case .backendDown(var outage):
            outage.resetBackoff(probeAt: settled)
            phase = .backendDown(outage)
        case .recovering(let recovery):
            observed.note(.pathChanged)
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: settled, at: now)
        }
    }

    private mutating func lookAgain(_ idle: IdleSchedule, at moment: Instant) {
        var idle = idle
        idle.lookAgain(at: moment)
        phase = .reachable(idle)
    }

    // MARK: Time

    private mutating func retryRequested(at now: Instant, _ effects: inout [NetworkEffect]) {
        switch phase {
        case .reachable(var idle):
            idle.checkNow(pings: false, at: now)
            idleDue(idle, at: now, &effects)
        case .suspect(var suspicion):
            suspicion.retry(at: now)
            suspicionDue(suspicion, at: now, &effects)
        case .unreachable(var outage):
            outage.retry(at: now)
            outage.advance(settings, &probes, at: now, &effects)
            phase = .unreachable(outage)
        case .backendDown(var outage):
            outage.retry(at: now)
            outage.advance(settings, &probes, at: now, &effects)
            phase = .backendDown(outage)
        case .recovering(var recovery):
            recovery.retry(at: now)
            recovery.advance(settings, &probes, at: now, &effects)
            settle(recovery, at: now)
        }
    }

    /// Time passed unwatched. It confirms no fault: pending probes are void and T1 starts again. A second
    /// late timer or doze in a row keeps T1, which counts only time awake, and starts one new round, so that
    /// a till that is loaded or dozes still decides.
    private mutating func timeUnwatched(_ gap: UnwatchedTime, at now: Instant) {
        if case .suspect(let suspicion) = phase { return timeUnwatched(gap, suspicion, at: now) }
        guard !isRepeated(gap) else { return }
        beginEpoch(at: now)
        let settled = now + settings.settle
        switch phase {
        case .reachable(let idle): lookAgain(idle, at: settled)
        case .suspect: break
        case .unreachable(var outage):
            outage.wait(until: settled)
            phase = .unreachable(outage)
        case .backendDown(var outage):
            outage.wait(until: settled)
            phase = .backendDown(outage)
        case .recovering(let recovery):
            beginOutage(isBackendDown: recovery.isBackendDown, firstProbe: settled, at: now)
        }
    }

    /// Whether `gap` is one more of its kind, after which what is pending goes on: else a machine that dozes
    /// every few seconds would void each probe before it can fail.
    private mutating func isRepeated(_ gap: UnwatchedTime) -> Bool {
        switch gap {
        case .suspended, .timerLate(inARow: ...1): return false
        // The till is loaded, not suspended.
        case .timerLate: return true
        case .dozed:
            // A recovery probes on fresh connections alone: what they showed holds.
            if case .recovering = phase { return true }
            defer { hasDozed = true }
            return hasDozed
        }
    }

    private mutating func timeUnwatched(_ gap: UnwatchedTime, _ suspicion: Suspicion, at now: Instant) {
        var suspicion = suspicion
        switch suspicion.note(gap) {
        case .none: return
        case .round:
            beginEpoch(at: now)
            suspicion.discardRounds(next: now)
            phase = .suspect(suspicion)
        case .run:
            beginEpoch(at: now)
            let settled = now + settings.settle
            guard path.isLost else {
                return verify(.resumed, kinds: suspicion.kinds, after: suspicion, from: settled, at: now)
            }
            // A path that is still lost is a failure observed now, not during the suspension.
            suspicion.restartDebounce(until: now + settings.pathDebounce, roundAt: settled)
            phase = .suspect(suspicion)
        }
    }

    private mutating func deadlineReached(at now: Instant, _ effects: inout [NetworkEffect]) {
        if let settlesAt = path.settlesAt, now >= settlesAt { pathReturned(at: now) }
        switch phase {
        case .reachable(let idle): idleDue(idle, at: now, &effects)
        case .suspect(let suspicion): suspicionDue(suspicion, at: now, &effects)
        case .unreachable(var outage):
            outage.advance(settings, &probes, at: now, &effects)
            settle(unreachable: outage, at: now)
        case .backendDown(var outage):
            outage.advance(settings, &probes, at: now, &effects)
            settle(backendDown: outage, at: now, &effects)
        case .recovering(var recovery):
            recovery.advance(settings, &probes, at: now, &effects)
            settle(recovery, at: now)
        }
    }

    /// Sends what is due while reachable.
    private mutating func idleDue(
        _ idle: IdleSchedule, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        if idle.trailingProbeFailed(at: now) {
            return openSuspicion(.probeFailed(.silent), at: now, &effects)
        }
        var idle = idle
        if idle.takeDueProbe(idleIntervals, &random, at: now) {
            effects.append(.sendProbe(nextTag(), .hub, timeout: settings.probeTimeout))
        }
        if path.isPinging, idle.takeDuePing(idleIntervals, &random, at: now) {
            let tag = nextTag()
            effects.append(.sendPing(tag))
            idle.pingWasSent(tag)
        }
        phase = .reachable(idle)
    }

    /// Advances the suspicion by what is due, then keeps it or confirms the fault.
    private mutating func suspicionDue(
        _ suspicion: Suspicion, at now: Instant, _ effects: inout [NetworkEffect]
    ) {
        var suspicion = suspicion
        let isOverdue = suspicion.advance(
            isPinging: path.isPinging, settings, &probes, at: now, &effects)
        if isOverdue, !suspicion.isVerifying { noteSilence(in: &suspicion) }
        if suspicion.isVerifying, suspicion.hubProbeFailed {
            return openSuspicion(.probeFailed(.silent), after: suspicion, at: now, &effects)
        }
        settle(suspicion, at: now)
    }

    /// The round's probe got no response in time. After a failed name resolution the reason stays DNS: a
    /// resolver that does not respond delays the probe too.
    private mutating func noteSilence(in suspicion: inout Suspicion) {
        guard observed.signals.lastFailure?.isOfNames == true else {
            return note(.probeFailed(.silent), in: &suspicion)
        }
        suspicion.note(.silence)
    }
}

/// The detector's state. Every phase has a deadline, so the machine cannot get stuck in one.
enum NetworkPhase: Hashable, Codable, Sendable {
    /// The network works. Leaves to `suspect` on the first failure.
    case reachable(IdleSchedule)
    /// Something failed, or nothing was observed yet. Leaves to `reachable` on a success, to `unreachable` or
    /// `backendDown` when T1 is over and a full confirmation round has failed.
    case suspect(Suspicion)
    /// The fault is confirmed: the `network` cause holds. Leaves to `recovering` when the hub responds, to
    /// `backendDown` when only the independent address does.
    case unreachable(Outage)
    /// The network works and the hub is dark: the `service` cause holds. Leaves to `recovering` when the hub
    /// responds, to `suspect` when the path is lost or the independent address becomes silent too.
    case backendDown(Outage)
    /// The hub responds again; the cause still holds. Leaves to `reachable` after T2, or back to the phase
    /// that it came from.
    case recovering(Recovery)
}
