/// Decides whether the way to the hub works.
///
/// The first failure opens a suspicion: a confirmation round of probe and pings runs at once and T1 begins.
/// Any verified HTTP response ends it; if none comes, T1's end makes the terminal offline, once a full
/// round has failed. Coming back is slower: three of the last four probes must be good and T2 must have
/// passed since the first good one. Ping silence opens a suspicion only where pings are known to be
/// answered, and confirms no fault alone; a ping answer ends a suspicion that missing pings alone opened,
/// and otherwise decides only why: with it the hub is dark, without it the network is gone. It never leads
/// out of an outage.
struct NetworkFaultDetector: Hashable, Codable, Sendable {
    private(set) var settings: NetworkSettings
    var phase: NetworkPhase
    /// When the present phase began.
    var since: Instant
    var path = PathView.unknown
    var pings = PingHistory.unanswered
    var signals = NetworkSignals()
    var trail = EvidenceTrail()
    var flaps = FlapHistory()
    var silences: SilenceWatch
    var random: SplitMix64
    var epoch: UInt64 = 0
    var epochBeganAt: Instant
    var sequence: UInt64 = 0
    var answers = AnswerWindow()
    /// Failures of the probes up to this one are from before the way was last believed in.
    var voidThrough: UInt64 = 0
    /// Counts changes of what is shown beyond the evidence.
    var revision: UInt64 = 0

    init(settings: NetworkSettings, startup: StartupState, seed: UInt64, at now: Instant) {
        self.settings = settings
        random = SplitMix64(seed: seed)
        silences = SilenceWatch(memory: startup.silences, settings: settings)
        since = now
        epochBeganAt = now
        signals.lastInternetOk = startup.lastInternetOk
        signals.lastBackendOk = startup.lastBackendOk
        if startup.networkWasDown {
            phase = .unreachable(Outage(since: now, isTakenOver: true, step: .waiting(until: now)))
            trail.note(.takenOver)
        } else {
            phase = .suspect(
                Suspicion(
                    doubt: .unverified, openedAt: now, commitsAt: nil, step: .waiting(until: now),
                    isBackendDown: false))
            trail.note(.starting)
        }
    }

    /// Other numbers hold from now on; what already runs keeps its end.
    mutating func take(_ settings: NetworkSettings) {
        self.settings = settings
        silences.take(settings)
        revision += 1
    }

    mutating func handle(_ event: NetworkEvent, at now: Instant) -> [NetworkEffect] {
        switch event {
        case .answerObserved(let firstByteAt, let latency, let isWell):
            answerObserved(firstByteAt: firstByteAt, latency: latency, isWell: isWell, at: now)
        case .pingFinished(let tag, let result):
            pingFinished(tag, result, at: now)
        case .probeFinished(let tag, .hub, let result):
            hubProbeFinished(tag, result, at: now)
        case .probeFinished(let tag, .internet, let result):
            internetProbeFinished(tag, result, at: now)
        case .failureObserved(let evidence, let startedAt):
            failureObserved(evidence, startedAt: startedAt, at: now)
        case .pathChanged(let status):
            pathChanged(status, at: now)
        case .queryUnanswered(let startedAt):
            queryUnanswered(startedAt: startedAt, at: now)
        case .retryRequested:
            retryRequested(at: now)
        case .timeSlept(let slept):
            timeSlept(slept, at: now)
        case .deadlineReached:
            deadlineReached(at: now)
        }
    }

    // MARK: What is asked from outside

    /// Whether the way is believed to work; services are judged only then.
    var isReachable: Bool {
        switch phase {
        case .reachable: true
        case .suspect, .unreachable, .backendDown, .recovering: false
        }
    }

    /// Whether the `network` cause holds.
    var networkCauseHolds: Bool {
        switch phase {
        case .unreachable: true
        case .recovering(let recovery): !recovery.isBackendDown
        case .reachable, .suspect, .backendDown: false
        }
    }

    /// Whether the `service` cause holds because the hub is dark while the way to it works.
    var backendCauseHolds: Bool {
        switch phase {
        case .backendDown: true
        case .suspect(let suspicion): suspicion.isBackendDown
        case .recovering(let recovery): recovery.isBackendDown
        case .reachable, .unreachable: false
        }
    }

    /// When the detector wants to be asked again. There is always such a moment.
    var deadline: Instant {
        let own = phaseDeadline
        if case .returning(let settlesAt) = path { return min(own, settlesAt) }
        return own
    }

    private var phaseDeadline: Instant {
        switch phase {
        case .reachable(let watch): deadline(of: watch)
        case .suspect(let suspicion): deadline(of: suspicion)
        case .unreachable(let outage), .backendDown(let outage): deadline(of: outage)
        case .recovering(let recovery): deadline(of: recovery)
        }
    }

    // MARK: What every phase shares

    /// Whether an echo would tell anything: on loopback this machine's own kernel answers it.
    var isPinging: Bool {
        guard pings != .unavailable else { return false }
        switch path {
        case .unknown: return true
        case .usable, .returning: return signals.path?.interface != "lo"
        case .lost: return false
        }
    }

    var isPathLost: Bool {
        switch path {
        case .lost: true
        case .unknown, .usable, .returning: false
        }
    }

    mutating func enter(_ next: NetworkPhase, at now: Instant) {
        phase = next
        since = now
        revision += 1
    }

    /// From here on, whatever was asked before is recorded and changes nothing.
    mutating func beginEpoch(at now: Instant) {
        epoch += 1
        epochBeganAt = now
        silences.void()
    }

    /// T1 of the next run of failures while there is a path.
    var debounce: Duration {
        switch settings.debounceRule {
        case .fixed: settings.debounce
        case .learned: silences.debounce
        }
    }

    /// Whether an answer tells anything: to what was asked in this epoch, and told for the first time.
    mutating func counts(_ tag: ProbeTag) -> Bool {
        tag.epoch == epoch && answers.book(tag.sequence)
    }

    mutating func nextTag() -> ProbeTag {
        sequence += 1
        return ProbeTag(epoch: epoch, sequence: sequence)
    }

    mutating func note(failure evidence: NetworkEvidence) {
        trail.note(evidence)
        if signals.lastFailure != evidence {
            signals.lastFailure = evidence
            revision += 1
        }
        if let portal = evidence.portal, signals.portal != portal {
            signals.portal = portal
            revision += 1
        }
    }

    /// The verified hub answered: the network works, whatever the answer said.
    mutating func noteHubAnswer(latency: Duration, isWell: Bool, at now: Instant) {
        signals.lastInternetOk = now
        if isWell { signals.lastBackendOk = now }
        signals.latency = latency
        if signals.hubTrouble == .silent { note(hubTrouble: .none) }
        guard signals.portal != nil || signals.lastFailure != nil else { return }
        signals.portal = nil
        signals.lastFailure = nil
        revision += 1
    }

    mutating func note(hubTrouble: HubTrouble) {
        guard signals.hubTrouble != hubTrouble else { return }
        signals.hubTrouble = hubTrouble
        revision += 1
    }
}
