public import Logging
public import OfflineCore

/// Runs the offline machine: one inbox, one loop, one place that reads the clock, no decisions.
public final class OfflineService: OfflineModeProviding, OutcomeObserving {
    /// Reads what the last run left on disk. The manual flag is in force from here on, before ``run()``.
    public init(
        settings: OfflineSettings, apis: CoreAPIs, ports: OfflinePorts, seed: UInt64, logger: Logger
    ) {}

    /// Runs until the task is cancelled. Called once.
    public func run() async {}

    /// Sets the manual flag or takes it back; returns once it is durable and in force.
    public func setManual(
        on: Bool, by person: String?, reason: String?
    ) async throws(ManualSwitchError) -> ManualStatus {
        throw .stopped
    }

    /// Tries the hub and QoS again at once.
    public func retryNow() {}

    public var status: ModeStatus { preconditionFailure() }
    public func statuses() -> AsyncStream<ModeStatus> { AsyncStream { $0.finish() } }
    public func route(of service: String) -> Route { .local }
    public func register(_ participant: any OfflineModeParticipant) {}
    public func requestFinished(_ outcome: RequestOutcome) {}
    public func requestStalled(_ api: APIRoute, startedAt: Instant) {}

    /// Keeps `delegate`, weakly, informed of every change, beginning with the present status.
    public func setDelegate(_ delegate: (any OfflineModeDelegate)?) {}

    /// Calls `body` with the present status and with every change of it until the subscription ends.
    public func onChange(_ body: @escaping @Sendable (ModeStatus) -> Void) -> ModeSubscription {
        ModeSubscription {}
    }

    /// Unix milliseconds of `instant`, for display.
    public func wallMilliseconds(of instant: Instant) -> Int64 { 0 }
}

/// Why the manual flag was not switched. The mode stays as it was.
public enum ManualSwitchError: Error, Hashable, Sendable {
    /// The machine or the disk refused.
    case refused(ManualRefusal)
    /// The service does not run any more; ask the agent that follows it.
    case stopped
}
