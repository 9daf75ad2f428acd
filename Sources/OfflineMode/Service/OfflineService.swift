public import Logging
public import OfflineCore
import Synchronization

/// Runs the offline machine: one inbox, one loop, one place that reads the clock, no decisions.
///
/// ``run()`` takes the events one by one, stamps each with the time, hands it to the machine and does what
/// the machine returns. What is told to others goes through one queue, in order: participants hear of going
/// offline before anyone sees the new mode, and of coming back after it.
public final class OfflineService: OfflineModeProviding, OutcomeObserving {
    let ports: OfflinePorts
    let logger: Logger
    let machine: Mutex<LiveMachine>
    let broadcast: ModeBroadcast
    let participants: Participants
    let pendingRequests = PendingManualRequests()
    let inbox: AsyncStream<OfflineEvent>
    let post: AsyncStream<OfflineEvent>.Continuation
    let announcements: AsyncStream<Announcement>
    let announce: AsyncStream<Announcement>.Continuation
    let opening: StartupSnapshot
    let serviceSettings: ServiceSettings

    /// The machine, and how many switches of the mode were not published yet.
    struct LiveMachine {
        var machine: OfflineMachine
        var unpublishedSwitches = 0
    }

    /// Reads what the last run left on disk. The manual flag is in force from here on, before ``run()``.
    ///
    /// - Parameter seed: for jitter. The recorder keeps it, so that the run can be replayed.
    public init(
        settings: OfflineSettings, apis: CoreAPIs, ports: OfflinePorts, seed: UInt64, logger: Logger
    ) {
        self.ports = ports
        self.logger = logger
        serviceSettings = settings.service
        opening = StartupSnapshot(ports: ports)
        let machine = OfflineMachine(
            settings: settings, apis: apis, startup: opening.startup, seed: seed, at: opening.now)
        broadcast = ModeBroadcast(first: machine.status(at: opening.now))
        self.machine = Mutex(LiveMachine(machine: machine))
        participants = Participants(time: ports.time)
        (inbox, post) = AsyncStream.makeStream()
        (announcements, announce) = AsyncStream.makeStream()
        FlightLog(recorder: ports.recorder).note(
            .started(settings: settings, apis: apis, startup: opening.startup, seed: seed), at: opening.now)
    }

    /// Sets the manual flag or takes it back; returns once it is durable and in force.
    ///
    /// - Parameters:
    ///   - person: who asks, for display; nil when nobody is signed in.
    ///   - reason: why, in their words.
    public func setManual(
        on: Bool, by person: String?, reason: String?
    ) async throws(ManualSwitchError) -> ManualStatus {
        let since = ports.time.wallMilliseconds()
        let flag = on ? ManualFlag(since: since, by: person, reason: reason) : nil
        return try await pendingRequests.wait { ticket in
            self.post.yield(.manualRequested(ManualRequest(ticket: ticket, flag: flag)))
        }.get()
    }

    /// Tries the hub and QoS again at once.
    public func retryNow() { post.yield(.retryRequested) }

    /// Other numbers hold from now on. The recorder keeps that, so that the run can be replayed.
    public func apply(_ settings: OfflineSettings) { post.yield(.settingsChanged(settings)) }

    public func requestFinished(_ outcome: RequestOutcome) { post.yield(.requestFinished(outcome)) }

    public func requestStalled(_ api: APIRoute, startedAt: Instant) {
        post.yield(.requestStalled(api, startedAt: startedAt))
    }

    /// The status as of now. A switch that the participants have not been told of yet is not seen yet.
    public var status: ModeStatus {
        let now = ports.time.now()
        let live = machine.withLock { $0.unpublishedSwitches == 0 ? $0.machine.status(at: now) : nil }
        return live ?? broadcast.current
    }

    public func statuses() -> AsyncStream<ModeStatus> { broadcast.stream() }

    public func route(of service: String) -> Route {
        let isLocal = machine.withLock { live in
            live.unpublishedSwitches == 0 ? live.machine.isLocal(service) : live.machine.isFaulty(service)
        }
        return isLocal ? .local : .online
    }

    /// Keeps `participant` for as long as the service lives.
    public func register(_ participant: any OfflineModeParticipant) { participants.register(participant) }

    /// Keeps `delegate`, weakly, informed of every change, beginning with the present status.
    public func setDelegate(_ delegate: (any OfflineModeDelegate)?) {
        broadcast.setDelegate(delegate)
        announce.yield(.greeting(nil))
    }

    /// Calls `body` with the present status and with every change of it until the subscription ends.
    public func onChange(_ body: @escaping @Sendable (ModeStatus) -> Void) -> ModeSubscription {
        let id = broadcast.keep(body)
        announce.yield(.greeting(id))
        return ModeSubscription { [broadcast] in broadcast.forget(id) }
    }

    /// Unix milliseconds of `instant`, for display; as exact as the wall clock is now.
    public func wallMilliseconds(of instant: Instant) -> Int64 {
        ports.time.wallMilliseconds() + (instant - ports.time.now()).wholeMilliseconds
    }
}

/// Why the manual flag was not switched. The mode stays as it was.
public enum ManualSwitchError: Error, Hashable, Sendable {
    /// The machine or the disk refused.
    case refused(ManualRefusal)
    /// The service does not run any more; ask the agent that follows it.
    case stopped
}
