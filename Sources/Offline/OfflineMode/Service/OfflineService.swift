public import Base
public import Logging
public import OfflineCore
internal import MachineRuntime
internal import Synchronization

/// Runs the offline machine and carries out its effects. It decides nothing.
///
/// Everything published goes through one queue, in order: participants are notified of going
/// offline before the new mode is published, and of coming back after it.
public final class OfflineService: OfflineModeProviding, OutcomeObserving {
    let ports: OfflinePorts
    let logger: Logger
    let driver: MachineDriver<LiveMachine>
    let broadcast: Broadcast<ModeStatus>
    private let delegate = Mutex<Broadcast<ModeStatus>.Token?>(nil)
    let participants: Participants
    let pendingRequests = PendingManualRequests()
    let announcements: AsyncStream<Announcement>
    let announce: AsyncStream<Announcement>.Continuation
    let opening: StartupSnapshot
    let serviceSettings: ServiceSettings
    /// The names whose route is decided.
    private let services: Set<String>
    private let reportedUnknown = Mutex<Set<String>>([])

    /// The machine, and how many switches of the mode were not published yet.
    struct LiveMachine: Machine, Sendable {
        var machine: OfflineMachine
        var unpublishedSwitches = 0

        var deadline: Instant? { machine.deadline }

        mutating func handle(_ event: OfflineEvent, at now: Instant) -> [OfflineEffect] {
            let effects = machine.handle(event, at: now)
            if effects.contains(where: \.isSwitch) { unpublishedSwitches += 1 }
            return effects
        }
    }

    /// Reads what the last run left on disk. The manual flag is valid from here on, before ``run()``.
    ///
    /// - Parameters:
    ///   - settings: by default those of a terminal: an outage counts after 8 s, a return after 10 s.
    ///   - apis: the services whose route is decided; see `BusinessService`.
    ///   - others: names without a service of their own, whose route is that of the mode; none by default.
    ///   - ports: the way to network, server, QoS service and disk.
    ///   - seed: for jitter, by default another one each time. It is recorded, so that the run can be
    ///     replayed.
    ///   - logger: by default nothing is logged.
    public init(
        settings: OfflineSettings = OfflineSettings(), apis: CoreAPIs, others: Set<String> = [],
        ports: OfflinePorts,
        seed: UInt64 = .random(in: .min ... .max),
        logger: Logger = Logger(label: "holdfast.offline", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.ports = ports
        self.logger = logger
        serviceSettings = settings.service
        services = others.union(apis.allServices)
        opening = StartupSnapshot(ports: ports)
        let machine = OfflineMachine(
            settings: settings, apis: apis, startup: opening.startup, seed: seed, at: opening.now)
        // The machine announces a status only when something in it has changed.
        broadcast = Broadcast(machine.status(at: opening.now)) { _, _ in true }
        driver = MachineDriver(
            LiveMachine(machine: machine), time: ports.time, suspension: { .clockGapObserved($0) },
            wakeUp: { [.deadlineReached] })
        participants = Participants(time: ports.time)
        (announcements, announce) = AsyncStream.makeStream()
        RunRecording(recorder: ports.recorder).note(
            .started(RunStart(settings: settings, apis: apis, startup: opening.startup, seed: seed)),
            at: opening.now)
    }

    /// Sets the manual flag or takes it back; returns once it is durable and valid.
    ///
    /// - Parameters:
    ///   - on: whether the terminal is to be offline.
    ///   - person: who requests it, for display; nil when nobody is signed in.
    ///   - reason: why, as the person entered it.
    public func setManual(
        on: Bool, by person: String?, reason: String?
    ) async throws(ManualSwitchError) -> ManualStatus {
        let since = ports.time.wallMilliseconds()
        let flag = on ? ManualFlag(since: since, by: person, reason: reason) : nil
        return try await pendingRequests.wait { ticket in
            self.driver.post(.manualRequested(ManualRequest(ticket: ticket, flag: flag)))
        }.get()
    }

    /// Sends requests to the hub and the QoS service again at once.
    public func retryNow() { driver.post(.retryRequested) }

    /// Other settings are valid from now on. They are recorded, so that the run can be replayed.
    public func apply(_ settings: OfflineSettings) { driver.post(.settingsChanged(settings)) }

    /// Hands the outcome to the machine and returns at once; the order of calls is kept.
    public func requestFinished(_ outcome: RequestOutcome) { driver.post(.requestFinished(outcome)) }

    /// Hands the progress to the machine and returns at once; `since` is of the monotonic clock.
    public func requestMoves(since: Instant) { driver.post(.requestMoves(since: since)) }

    /// Hands the stall to the machine and returns at once; `startedAt` is of the monotonic clock.
    public func requestStalled(_ api: APIRoute, startedAt: Instant) {
        driver.post(.requestStalled(api, startedAt: startedAt))
    }

    /// Sending goes in another way, as the outbox decided. Returns at once; the order of calls is kept.
    public func deliveryChanged(_ state: DeliveryState) { driver.post(.deliveryChanged(state)) }

    /// The status as of now. A switch is visible only after the participants were notified.
    public var status: ModeStatus {
        let now = ports.time.now()
        let live = driver.withMachine { $0.unpublishedSwitches == 0 ? $0.machine.status(at: now) : nil }
        return live ?? broadcast.current
    }

    /// A stream of its own for each caller, with room for the newest status only.
    public func statuses() -> AsyncStream<ModeStatus> { broadcast.stream() }

    /// While a switch is not announced yet, only a fault of the service itself makes the route `local`.
    ///
    /// A name that no service has is a mistake of the program: its route is always `local`, and the log has
    /// one error for it.
    public func route(of service: String) -> Route {
        guard services.contains(service) else {
            if reportedUnknown.withLock({ $0.insert(service).inserted }) {
                logger.error(
                    "no service has this name; register it or correct the name",
                    metadata: ["service": "\(service)"])
            }
            return .local
        }
        let isLocal = driver.withMachine { live in
            live.unpublishedSwitches == 0 ? live.machine.isLocal(service) : live.machine.isFaulty(service)
        }
        return isLocal ? .local : .online
    }

    /// Whether `service` itself is faulty, whatever the mode.
    public func isFaulty(_ service: String) -> Bool { driver.withMachine { $0.machine.isFaulty(service) } }

    /// Keeps `participant` for as long as the service exists.
    public func register(_ participant: any OfflineModeParticipant) { participants.register(participant) }

    /// Passes every change to `delegate`, which is kept weakly, beginning with the present status.
    public func setDelegate(_ delegate: (any OfflineModeDelegate)?) {
        let token = delegate.map { _ in
            broadcast.listen { [weak delegate] status in delegate?.offlineModeDidChange(to: status) }
        }
        let replaced = self.delegate.withLock { current in
            defer { current = token }
            return current
        }
        if let replaced { broadcast.ignore(replaced) }
        if let token { announce.yield(.greeting(token)) }
    }

    /// Calls `body` with the present status and with every change of it until the subscription ends.
    public func onChange(_ body: @escaping @Sendable (ModeStatus) -> Void) -> ModeSubscription {
        let token = broadcast.listen(body)
        announce.yield(.greeting(token))
        return ModeSubscription { [broadcast] in broadcast.ignore(token) }
    }

    /// Unix milliseconds of `instant`, for display; as exact as the wall clock is now.
    public func wallMilliseconds(of instant: Instant) -> Int64 {
        ports.time.wallMilliseconds(of: instant)
    }
}

extension OfflineEffect {
    fileprivate var isSwitch: Bool {
        if case .switchMode = self { true } else { false }
    }
}

/// Why the manual flag was not switched. The mode stays as it was.
public enum ManualSwitchError: Error, Hashable, Sendable {
    /// The machine or the disk refused.
    case refused(ManualRefusal)
    /// The service has stopped; use the agent that replaces it.
    case stopped
}
