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
struct NetworkFaultDetector: Hashable, Codable, Sendable {
    private(set) var settings: NetworkSettings
    var phase: NetworkPhase
    /// When the present phase began.
    var since: Instant
    var path = PathView.unknown
    var pings = PingHistory.noResponse
    var signals = NetworkSignals()
    var trail = EvidenceTrail()
    var flaps = FlapHistory()
    var silences: SilenceWatch
    var random: SplitMix64
    var probes: ProbeNumbers
    /// Counts changes of the status, the evidence excepted.
    var revision: UInt64 = 0

    init(settings: NetworkSettings, startup: StartupState, seed: UInt64, at now: Instant) {
        self.settings = settings
        random = SplitMix64(seed: seed)
        silences = SilenceWatch(memory: startup.silences, settings: settings)
        since = now
        probes = ProbeNumbers(at: now)
        signals.lastInternetOk = startup.lastInternetOk
        signals.lastBackendOk = startup.lastBackendOk
        if startup.networkWasDown {
            phase = .unreachable(Outage(since: now, isTakenOver: true, step: .waiting(until: now)))
            trail.note(.takenOver)
        } else {
            phase = .suspect(
                Suspicion(
                    kinds: .unverified, openedAt: now, commitsAt: nil, step: .waiting(until: now),
                    isBackendDown: false))
            trail.note(.starting)
        }
    }

    /// Other numbers apply from now on; what already runs keeps its end.
    mutating func take(_ settings: NetworkSettings) {
        self.settings = settings
        silences.take(settings)
        revision += 1
    }

    mutating func handle(_ event: NetworkEvent, at now: Instant) -> [NetworkEffect] {
        switch event {
        case .responseObserved(let firstByteAt, let latency, let isWell):
            responseObserved(firstByteAt: firstByteAt, latency: latency, isWell: isWell, at: now)
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
        case .queryWithoutResponse(let startedAt):
            queryWithoutResponse(startedAt: startedAt, at: now)
        case .retryRequested:
            retryRequested(at: now)
        case .timeUnwatched(let gap):
            timeUnwatched(gap, at: now)
        case .deadlineReached:
            deadlineReached(at: now)
        }
    }

    // MARK: State for the other machines

    /// Whether the network counts as working; services are judged only then.
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

    /// Whether the `service` cause holds because the hub is dark while the network works.
    var backendCauseHolds: Bool {
        switch phase {
        case .backendDown: true
        case .suspect(let suspicion): suspicion.isBackendDown
        case .recovering(let recovery): recovery.isBackendDown
        case .reachable, .unreachable: false
        }
    }

    /// When the detector must be woken next. There is always such a moment.
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

    // MARK: Shared by all phases

    /// Whether pings are useful: on loopback this machine's own kernel responds to them.
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

    /// From here on, responses to earlier probes are recorded and change nothing.
    mutating func beginEpoch(at now: Instant) {
        probes.beginEpoch(at: now)
        silences.void()
    }

    /// T1 of the next run of failures while there is a path.
    var debounce: Duration {
        switch settings.debounceRule {
        case .fixed: settings.debounce
        case .learned: silences.debounce
        }
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

    /// The verified hub responded: the network works, whatever the status.
    mutating func noteHubResponse(latency: Duration, isWell: Bool, at now: Instant) {
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
