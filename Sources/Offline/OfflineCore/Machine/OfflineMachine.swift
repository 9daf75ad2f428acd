public import Base

/// Decides whether the terminal is offline, and why.
///
/// There are three independent causes: the manual flag, the network detector and the service detector. The
/// terminal is offline exactly while at least one holds. The machine has no clock, no timer and no random
/// source of its own: call ``handle(_:at:)`` with every event and its moment, perform the effects that it
/// returns, and wake it at ``deadline``. The same events at the same moments give the same effects.
public struct OfflineMachine: Machine, Hashable, Codable, Sendable {
    var manual: ManualSwitch
    var network: NetworkFaultDetector
    var services: ServiceFaultDetector
    var quality: LinkQuality
    var stalls = StallLedger()
    var failing = FailingCalls()
    var account = AccountState.fine
    /// The hub's `Retry-After`; nil while none is valid.
    var throttle: Throttle?
    var keeping = LastRunKeeping()
    var digest: StatusDigest
    private var clock: ClockWatch
    /// The revision of the learned silences that was stored last.
    private var keptSilences: UInt64 = 0

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
        if keptSilences != network.silences.revision { keepSilences(&effects) }
        clock.arm(for: nextDeadline, at: now)
        return effects
    }

    /// Whether a response to the probe `tag` still counts. One to a probe that was sent on another path, or
    /// before the terminal was suspended or delayed, changes nothing.
    public func isCurrent(_ tag: ProbeTag) -> Bool { tag.epoch == network.probes.epoch }

    /// The causes that hold, in the order manual, network, service.
    public var causes: [OfflineCause] {
        var held: [OfflineCause] = []
        if manual.isOn { held.append(.manual) }
        if network.networkCauseHolds { held.append(.network) }
        if services.causeHolds || network.backendCauseHolds { held.append(.service) }
        return held
    }

    /// Whether calls of `service` must be handled locally.
    public func isLocal(_ service: String) -> Bool {
        manual.isOn || network.networkCauseHolds || network.backendCauseHolds || services.causeHolds
            || services.isFaulty(service)
    }

    /// Whether `service` itself is faulty, whatever the mode.
    public func isFaulty(_ service: String) -> Bool { services.isFaulty(service) }

    private mutating func keepSilences(_ effects: inout [OfflineEffect]) {
        keptSilences = network.silences.revision
        effects.append(.saveSilences(network.silences.learned.memory))
    }

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

/// Whether the hub accepts the terminal's identity.
enum AccountState: Hashable, Codable, Sendable {
    case fine
    /// 401 or 403: the terminal must be enrolled again. Work continues locally; it is no offline cause.
    case blocked
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
