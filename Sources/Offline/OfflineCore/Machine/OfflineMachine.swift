public import Base

/// Decides whether the terminal is offline, and why.
///
/// There are three independent causes: the manual flag, the network detector and the service detector. The
/// terminal is offline exactly while at least one holds. The machine has no clock, no timer and no random
/// source of its own: call ``handle(_:at:)`` with every event and its moment, perform the effects that it
/// returns, and wake it at ``deadline``. The same events at the same moments give the same effects.
public struct OfflineMachine: Machine, Hashable, Codable, Sendable {
    private(set) var manual: ManualSwitch
    /// Settable for tests, which take a tag of it that no probe has.
    var network: NetworkFaultDetector
    private(set) var services: ServiceFaultDetector
    private(set) var quality: LinkQuality
    private(set) var stalls = StallLedger()
    private(set) var failing = FailingCalls()
    /// As the outbox machine announced it last; it alone decides whose trouble it is.
    private(set) var delivery = DeliveryState.well
    /// The hub's `Retry-After`; nil while none is valid.
    private(set) var throttle: Throttle?
    private(set) var keeping = LastRunKeeping()
    private(set) var digest: StatusDigest
    private var clock: ClockWatch

    /// - Parameters:
    ///   - startup: what the last run left on disk.
    ///   - seed: for jitter; the same seed replays the same run.
    public init(
        settings: OfflineSettings, apis: CoreAPIs, startup: StartupState, seed: UInt64, at now: Instant
    ) {
        var seeds = SplitMix64(seed: seed)
        manual = ManualSwitch(found: startup.manual)
        network = NetworkFaultDetector(
            settings: settings.network, startup: startup, seed: seeds.next(), at: now)
        services = ServiceFaultDetector(settings: settings.service, apis: apis, seed: seeds.next(), at: now)
        quality = LinkQuality(settings: settings.quality)
        clock = ClockWatch(tolerance: settings.network.clockTolerance, at: now)
        digest = StatusDigest(startedAt: now, offlineSince: startup.offlineSince)
        digest.begin(causes: causes)
    }

    /// The numbers it decides by.
    public var settings: OfflineSettings {
        OfflineSettings(network: network.settings, quality: quality.settings, service: services.settings)
    }

    /// When to send ``OfflineEvent/deadlineReached`` next. There is always such a moment; early and repeated
    /// wake-ups are harmless.
    public var deadline: Instant? { clock.due }

    /// Handles one event at the moment `now`, never earlier than the one before.
    ///
    /// - Returns: the effects to perform, in order.
    public mutating func handle(_ event: OfflineEvent, at now: Instant) -> [OfflineEffect] {
        var effects: [OfflineEffect] = []
        var responses: [OfflineEffect] = []
        watchClock(event, at: now, &effects)
        apply(event, at: now, &effects, responses: &responses)
        if !stalls.isEmpty { bookStalls(at: now, &effects) }
        if !failing.isEmpty { bookFailures(at: now, &effects) }
        if let throttle, now >= throttle.until { self.throttle = nil }
        publish(at: now, &effects)
        keepLastRun(at: now, &effects)
        if !responses.isEmpty { effects += responses }
        clock.arm(for: nextDeadline, at: now)
        return effects
    }

    /// Whether a response to the probe `tag` still counts. One to a probe that was sent on another path, or
    /// before the terminal was suspended or delayed, changes nothing.
    public func isCurrent(_ tag: ProbeTag) -> Bool { tag.epoch == network.probes.epoch }

    /// The causes that hold, in the order manual, network, service.
    public var causes: [OfflineCause] { OfflineCause.allCases.filter(holds) }

    private func holds(_ cause: OfflineCause) -> Bool {
        switch cause {
        case .manual: manual.isOn
        case .network: network.networkCauseHolds
        case .service: services.causeHolds || network.backendCauseHolds
        }
    }

    /// Whether calls of `service` must be handled locally.
    public func isLocal(_ service: String) -> Bool {
        OfflineCause.allCases.contains(where: holds) || services.isFaulty(service)
    }

    /// Whether `service` itself is faulty, whatever the mode.
    public func isFaulty(_ service: String) -> Bool { services.isFaulty(service) }

    private var nextDeadline: Instant {
        var next = network.deadline
        if let service = services.deadline { next = min(next, service) }
        if let throttle { next = min(next, throttle.until) }
        return next
    }

    private mutating func watchClock(
        _ event: OfflineEvent, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        guard now >= clock.due else { return }
        var isTimer = false
        if case .deadlineReached = event { isTimer = true }
        guard let gap = clock.observe(isTimer: isTimer, at: now) else { return }
        timeUnwatched(gap, at: now, &effects)
    }
}

/// The hub's `Retry-After`, and which success ends it early.
struct Throttle: Hashable, Codable, Sendable {
    let until: Instant
    /// The core service that sent it. Only a success of that service ends it early, because successes of
    /// other calls say nothing about this one. Nil: any success ends it.
    let service: String?
}

/// The numbers of all three causes.
public struct OfflineSettings: Hashable, Codable, Sendable {
    /// Of the network detector: T1, T2, pings and probes.
    public var network: NetworkSettings
    /// When the link counts as degraded, which never changes the mode.
    public var quality: QualitySettings
    /// Of the service detector: when evidence trips, and how QoS is queried.
    public var service: ServiceSettings

    /// Every group has its defaults; the arguments are not checked.
    public init(
        network: NetworkSettings = NetworkSettings(), quality: QualitySettings = QualitySettings(),
        service: ServiceSettings = ServiceSettings()
    ) {
        self.network = network
        self.quality = quality
        self.service = service
    }
}

/// Which detector is notified of which event.
extension OfflineMachine {
    private mutating func apply(
        _ event: OfflineEvent, at now: Instant, _ effects: inout [OfflineEffect],
        responses: inout [OfflineEffect]
    ) {
        switch event {
        case .requestFinished(let outcome): finished(outcome, at: now, &effects)
        case .requestStalled(let api, let startedAt):
            stalls.stalled(api, startedAt: startedAt)
            notifyNetwork(.failureObserved(.requestStalled, startedAt: startedAt), at: now, &effects)
        case .requestMoves(let since): notifyNetwork(.bytesMoved(since: since), at: now, &effects)
        case .pingFinished(let tag, let result):
            notifyNetwork(.pingFinished(tag, result), at: now, &effects)
        case .probeFinished(let tag, let target, let result):
            sample(target, result, at: now)
            notifyNetwork(.probeFinished(tag, target, result), at: now, &effects)
        case .pathChanged(let status): notifyNetwork(.pathChanged(status), at: now, &effects)
        case .deadlineReached:
            notifyNetwork(.deadlineReached, at: now, &effects)
            notifyServices(.deadlineReached, at: now, &effects)
        case .manualRequested(let request): responses += manual.requested(request)
        case .manualFlagSaved(let ticket): manualSaved(ticket, at: now, &effects, responses: &responses)
        case .manualFlagSaveFailed(let ticket, let error):
            responses += manual.saveFailed(ticket: ticket, error)
        case .qosResponded(let response, let tag, let sentAt):
            notifyServices(.qosResponded(response, tag: tag, sentAt: sentAt), at: now, &effects)
        case .qosFailed(let tag): notifyServices(.qosFailed(tag: tag), at: now, &effects)
        case .canaryFinished(let service, let tag, let good):
            notifyServices(.canaryFinished(service: service, tag: tag, good: good), at: now, &effects)
        case .deliveryChanged(let state): delivery = state
        case .retryRequested:
            notifyNetwork(.retryRequested, at: now, &effects)
            notifyServices(.retryRequested, at: now, &effects)
        case .settingsChanged(let settings): take(settings)
        case .clockGapObserved(let gap):
            guard gap > network.settings.clockTolerance else { return }
            timeUnwatched(UnwatchedTime(suspendedFor: gap), at: now, &effects)
        }
    }

    /// While a person kept the terminal offline no canary could leave it, and the one that failed says
    /// nothing about its service: the next one does not wait for the poll's pace.
    private mutating func manualSaved(
        _ ticket: UInt64, at now: Instant, _ effects: inout [OfflineEffect],
        responses: inout [OfflineEffect]
    ) {
        let wasOn = manual.isOn
        responses += manual.saved(ticket: ticket)
        guard wasOn, !manual.isOn, services.causeHolds else { return }
        notifyServices(.retryRequested, at: now, &effects)
    }

    private mutating func take(_ settings: OfflineSettings) {
        network.take(settings.network)
        services.settings = settings.service
        if quality.settings != settings.quality { quality = LinkQuality(settings: settings.quality) }
    }

    private mutating func timeUnwatched(
        _ gap: UnwatchedTime, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        quality.dropSamples()
        notifyNetwork(.timeUnwatched(gap), at: now, &effects)
    }

    /// Notifies the network detector, and the service detector when the network became reachable or was lost.
    private mutating func notifyNetwork(
        _ event: NetworkEvent, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let wasReachable = network.isReachable
        let wasConfirmed = network.networkCauseHolds || network.backendCauseHolds
        for effect in network.handle(event, at: now) {
            switch effect {
            case .sendPing(let tag):
                effects.append(.sendPing(tag, timeout: network.settings.pingTimeout))
            case .sendProbe(let tag, let target, let timeout):
                effects.append(.sendProbe(tag, target, timeout: timeout))
            }
        }
        switch (wasReachable, network.isReachable) {
        case (false, true):
            // The recovery hold has proved the path; samples of the outage say nothing about it.
            if wasConfirmed { quality = LinkQuality(settings: quality.settings) }
            notifyServices(.networkBecameReachable, at: now, &effects)
        case (true, false): notifyServices(.networkLost, at: now, &effects)
        case (true, true), (false, false): break
        }
    }

    private mutating func notifyServices(
        _ event: ServiceEvent, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        for effect in services.handle(event, at: now) {
            switch effect {
            case .queryQoS(let tag, let services): effects.append(.queryQoS(tag: tag, services: services))
            case .reportQoS(let tag, let report): effects.append(.reportQoS(tag: tag, report))
            case .sendCanary(let tag, let service):
                effects.append(.sendCanary(tag: tag, service: service))
            case .paceResume(let service, let pace):
                effects.append(.paceResume(service: service, pace))
            }
        }
    }

    /// An outcome is evidence on the network first, so that the services are judged by the state after it.
    private mutating func finished(
        _ request: RequestOutcome, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        switch request.outcome {
        case .network where request.api.isOfQoS:
            notifyNetwork(.queryWithoutResponse(startedAt: request.startedAt), at: now, &effects)
            return
        case .network(.silent):
            quality.note(latency: nil, at: now)
            // The confirmation round decides whether the network or the service was silent.
            guard stalls.endedSilently(request.api, startedAt: request.startedAt) else { return }
            let evidence = NetworkEvidence.requestFailed(.silent)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
            return
        case .network(let failure):
            quality.note(latency: nil, at: now)
            let evidence = NetworkEvidence.requestFailed(failure)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
        case .portal(let portal):
            quality.note(latency: nil, at: now)
            let evidence = NetworkEvidence.requestPortal(portal)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
        case .service(.timedOutAfterConnect):
            quality.note(latency: nil, at: now)
        case .success, .business:
            endThrottle(by: request.api)
            responded(request, isWell: true, at: now, &effects)
        case .auth:
            responded(request, isWell: false, at: now, &effects)
        case .throttle(let retryAfter):
            throttle(for: retryAfter ?? Self.unnamedRetryAfter, by: request.api, at: now)
            responded(request, isWell: false, at: now, &effects)
        case .service(.status), .service(.brokenBody):
            if let retryAfter = request.retryAfter { throttle(for: retryAfter, by: request.api, at: now) }
            responded(request, isWell: false, at: now, &effects)
        case .cancelled:
            stalls.endedOtherwise(request.api, startedAt: request.startedAt)
            return
        }
        if !stalls.isEmpty { stalls.endedOtherwise(request.api, startedAt: request.startedAt) }
        book(request, at: now, &effects)
    }

    private mutating func responded(
        _ request: RequestOutcome, isWell: Bool, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let firstByteAt = request.firstByteAt ?? request.finishedAt
        let latency = firstByteAt - request.startedAt
        quality.note(latency: latency, at: now)
        notifyNetwork(
            .responseObserved(firstByteAt: firstByteAt, latency: latency, isWell: isWell), at: now, &effects)
    }

    private mutating func sample(_ target: ProbeTarget, _ result: ProbeResult, at now: Instant) {
        guard target == .hub else { return }
        switch result {
        case .good(let roundTrip): quality.note(latency: roundTrip, at: now)
        case .respondedBadly(let status, let roundTrip):
            quality.note(latency: roundTrip, at: now)
            if status == 429 { throttle(for: Self.unnamedRetryAfter, by: nil, at: now) }
        case .failed, .portal: quality.note(latency: nil, at: now)
        }
    }

    /// The hub sent `Retry-After`: a constrained path for so long, and no outage. The wait of a core service
    /// is not shortened by the wait of another call.
    private mutating func throttle(for wait: Duration, by api: APIRoute?, at now: Instant) {
        let service = api.flatMap { services.coreService(of: $0) }
        if let throttle, throttle.service != nil, service == nil { return }
        throttle = Throttle(until: now + Backoff.clamp(wait), service: service)
    }

    private mutating func endThrottle(by api: APIRoute) {
        guard let service = throttle?.service else {
            throttle = nil
            return
        }
        if service == services.coreService(of: api) { throttle = nil }
    }

    /// How long a 429 without `Retry-After` counts. Halved, a busy hub gets twice the calls; doubled, sync
    /// stays reduced for a minute.
    private static let unnamedRetryAfter = Duration.seconds(30)

    /// Counts the stalls once the confirmation round has decided where they belong.
    private mutating func bookStalls(at now: Instant, _ effects: inout [OfflineEffect]) {
        let booked: OutcomeClass
        switch network.phase {
        case .suspect: return
        case .reachable: booked = .service(.timedOutAfterConnect)
        // A dark hub is the network detector's result: it trips no service.
        case .unreachable, .backendDown, .recovering: booked = .network(.silent)
        }
        for api in stalls.decide() {
            if case .service(let failure) = booked, let service = services.coreService(of: api) {
                _ = failing.note(service, failure.reason)
            }
            notifyServices(.outcomeObserved(api: api, outcome: booked), at: now, &effects)
        }
    }
}

/// Which calls fail, until it is known whether the network or their service is at fault.
extension OfflineMachine {
    /// Passes an outcome to the service detector, or keeps it until the round has decided where it belongs.
    private mutating func book(_ request: RequestOutcome, at now: Instant, _ effects: inout [OfflineEffect]) {
        guard let service = services.coreService(of: request.api) else {
            notifyServices(.outcomeObserved(api: request.api, outcome: request.outcome), at: now, &effects)
            return
        }
        switch request.outcome {
        case .network(let failure): wait(for: .network(failure), of: request.api, service)
        case .portal(let portal): wait(for: .portal(portal), of: request.api, service)
        case .service(let failure):
            _ = failing.note(service, failure.reason)
            notifyServices(.outcomeObserved(api: request.api, outcome: request.outcome), at: now, &effects)
        case .business(let status) where service == Self.pushService && delivery.isRouteInTrouble:
            // A push that the route refuses is no result: it is evidence on the service, as a 5xx is.
            confirmRefusal(status, of: request.api, at: now, &effects)
        case .success, .auth, .throttle, .business:
            failing.served(service)
            notifyServices(.outcomeObserved(api: request.api, outcome: request.outcome), at: now, &effects)
        case .cancelled: break
        }
    }

    /// The service whose calls are the pushes of the outbox.
    private static let pushService = "order"

    private mutating func confirmRefusal(
        _ status: Int, of api: APIRoute, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let failure = ServiceFailure.status(status)
        _ = failing.note(Self.pushService, failure.reason)
        notifyServices(.outcomeObserved(api: api, outcome: .service(failure)), at: now, &effects)
    }

    private mutating func wait(for failure: FailingCalls.Failure, of api: APIRoute, _ service: String) {
        failing.wait(FailingCalls.Waiting(api: api, service: service, failure: failure))
    }

    /// Counts what waited, once the confirmation round has decided where it belongs.
    private mutating func bookFailures(at now: Instant, _ effects: inout [OfflineEffect]) {
        switch network.phase {
        case .suspect: return
        case .reachable:
            for waited in failing.takeWaiting() where failing.note(waited.service, waited.failure.reason) {
                notifyServices(
                    .failureConfirmed(api: waited.api, outcome: waited.failure.outcome), at: now, &effects)
            }
        case .backendDown, .unreachable, .recovering: failing.blameNetwork()
        }
    }
}

/// The status that the machine publishes, derived from its state.
extension OfflineMachine {
    /// Why the last failure happened, before any fault is confirmed; `none` once the hub has responded again.
    package var lastFailureReason: ConnectivitySnapshot.Reason {
        network.observed.signals.lastFailure?.reason ?? .none
    }

    /// The complete status at `now`.
    public func status(at now: Instant) -> ModeStatus {
        ModeStatus(
            mode: digest.mode, since: digest.since, causes: digest.causes, manual: manual.status,
            network: network.status, services: shownServices, connectivity: connectivity,
            quality: quality.status(at: now), delivery: delivery)
    }

    /// Derived from the raw signals at every call and never stored.
    public var connectivity: ConnectivitySnapshot {
        ConnectivitySnapshot(
            deriving: ConnectivitySnapshot.Inputs(
                signals: network.observed.signals, path: network.path.reported, wayOut: network.wayOut,
                isPathLost: network.path.isLost && !network.isReachable,
                isHubAlone: network.isHubAlone, isHubDark: network.backendCauseHolds,
                isBackendDown: services.causeHolds, isAccountBlocked: delivery.trouble == .account,
                throttledUntil: throttle?.until, isDegraded: quality.isDegraded,
                failing: failingReason, isManual: manual.isOn))
    }

    /// Why calls of a core service fail. Pushes of single entries that get no result while others do are the
    /// entries' trouble.
    private var failingReason: ConnectivitySnapshot.Reason? {
        let isOfEntries = delivery.entries > 0 && delivery.trouble == nil
        return delivery.reason ?? failing.reason(except: isOfEntries ? Self.pushService : nil)
    }

    /// The services; while the hub is silent its core ones are shown as faulty with the source `local`.
    private var shownServices: [ServiceStatus] {
        guard network.backendCauseHolds else { return services.statuses }
        return services.statuses.map { status in
            guard status.isCore, status.state == .healthy || status.state == .suspect else { return status }
            return ServiceStatus(
                service: status.service, isCore: true,
                state: network.isRecovering ? .recovering : .faulty, since: network.since, source: .local,
                generation: status.generation, testedAt: status.testedAt)
        }
    }

    /// Announces what changed since the last event.
    private mutating func publish(at now: Instant, _ effects: inout [OfflineEffect]) {
        let revisions = StatusDigest.Revisions(
            network: network.revision, evidence: network.observed.trail.revision, manual: manual.revision,
            delivery: delivery, throttledUntil: throttle?.until, isDegraded: quality.isDegraded,
            failing: failingReason, services: services.revision)
        let held = causes
        guard revisions != digest.revisions || held != digest.causes else { return }
        let isNews = digest.takeRevisions(revisions, services: services.statuses)
        guard isNews || held != digest.causes else { return }
        digest.update(causes: held, evidence: held.isEmpty ? [] : evidence, at: now, &effects)
        effects.append(.announceStatus)
    }

    /// Stores for the next start whether the network is down, and the last good times.
    private mutating func keepLastRun(at now: Instant, _ effects: inout [OfflineEffect]) {
        let isReachable = network.isReachable
        guard keeping.isDue(isReachable: isReachable, isDown: network.networkCauseHolds, at: now) else {
            return
        }
        let run = LastRun(
            networkIsDown: network.networkCauseHolds, lastInternetOk: network.observed.signals.lastInternetOk,
            lastBackendOk: network.observed.signals.lastBackendOk)
        if keeping.note(run, isReachable: isReachable, at: now) { effects.append(.saveLastRun(run)) }
    }

    /// Names of the evidence that keeps the terminal offline.
    private var evidence: [String] {
        causes.flatMap { cause in
            switch cause {
            case .manual: [manual.status.reason.map { "manual:\($0)" } ?? "manual"]
            case .network: trail
            // The trail is the network's where both hold.
            case .service: (network.networkCauseHolds ? [] : backendTrail) + faultyServices
            }
        }
    }

    private var trail: [String] { network.observed.trail.items.map(\.name) }

    private var backendTrail: [String] { network.backendCauseHolds ? trail : [] }

    private var faultyServices: [String] {
        services.statuses.filter { $0.isCore && services.isFaulty($0.service) }
            .map { "service:\($0.service):\($0.source.rawValue)" }
    }
}
