import Base
import OfflineCore
internal import MachineRuntime

/// What was on disk when the service was made, in this run's time.
struct StartupSnapshot: Sendable {
    let now: Instant
    let startup: StartupState
    let suspended: Duration
    /// The offline period that the last run left open.
    let openPeriod: RecordedOfflinePeriod?

    init(ports: OfflinePorts) {
        let now = ports.time.now()
        let wall = ports.time.wallMilliseconds()
        func instant(_ milliseconds: Int64) -> Instant { now + .milliseconds(milliseconds - wall) }
        let last = ports.lastRun.load()
        let open = ports.periods.openPeriod()
        self.now = now
        suspended = ports.time.suspended()
        openPeriod = open
        startup = StartupState(
            manual: ports.manualFlag.load(), networkWasDown: last?.networkIsDown ?? false,
            offlineSince: open.map { instant($0.start) }, lastInternetOk: last?.lastInternetOk.map(instant),
            lastBackendOk: last?.lastBackendOk.map(instant))
    }
}
