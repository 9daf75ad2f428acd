public import Base
public import Logging
public import OfflineCore
import Synchronization

/// Runs the offline machine: one inbox, one loop, one place that reads the clock, no decisions.
///
/// ``run()`` takes the events one by one, stamps each with the time, hands it to the machine and carries out
/// the effects. Everything published goes through one queue, in order: participants are notified of going
/// offline before the new mode is published, and of coming back after it.
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

    /// Reads what the last run left on disk. The manual flag is valid from here on, before ``run()``.
    ///
    /// - Parameter seed: for jitter. It is recorded, so that the run can be replayed.
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

    /// Sets the manual flag or takes it back; returns once it is durable and valid.
    ///
    /// - Parameters:
    ///   - person: who requests it, for display; nil when nobody is signed in.
    ///   - reason: why, as the person entered it.
    public func setManual(
        on: Bool, by person: String?, reason: String?
    ) async throws(ManualSwitchError) -> ManualStatus {
        let since = ports.time.wallMilliseconds()
        let flag = on ? ManualFlag(since: since, by: person, reason: reason) : nil
        return try await pendingRequests.wait { ticket in
            self.post.yield(.manualRequested(ManualRequest(ticket: ticket, flag: flag)))
        }.get()
    }

    /// Sends requests to the hub and the QoS service again at once.
    public func retryNow() { post.yield(.retryRequested) }

    /// Other settings are valid from now on. They are recorded, so that the run can be replayed.
    public func apply(_ settings: OfflineSettings) { post.yield(.settingsChanged(settings)) }

    public func requestFinished(_ outcome: RequestOutcome) { post.yield(.requestFinished(outcome)) }

    public func requestStalled(_ api: APIRoute, startedAt: Instant) {
        post.yield(.requestStalled(api, startedAt: startedAt))
    }

    /// The status as of now. A switch is visible only after the participants were notified.
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

    /// Keeps `participant` for as long as the service exists.
    public func register(_ participant: any OfflineModeParticipant) { participants.register(participant) }

    /// Passes every change to `delegate`, which is kept weakly, beginning with the present status.
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
    /// The service has stopped; use the agent that replaces it.
    case stopped
}
