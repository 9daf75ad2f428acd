internal import CurlHTTP
internal import CurlTransport
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Carries out what ``StandbyMachine`` decides: the session and the pings use the path that it chose, and the
/// offline module sees that path as the only one.
final class HubPathChooser: PathMonitoring {
    /// The interfaces while the standby is in use.
    struct Standby: Hashable {
        let interface: String
        /// The interface of the main path, which is dark.
        let main: String?
    }

    private let monitor: any HubPathWatching
    private let session: any HTTPSession
    private let probe: CurlHubProbe
    private let pinger: (any HubPinging)?
    private let driver: MachineDriver<StandbyMachine>
    /// Nil before the kernel's first report.
    private let inUse = Broadcast<HubPath?>(nil) { $0 != $1 }

    init(
        monitor: any HubPathWatching, session: any HTTPSession, probe: CurlHubProbe,
        pinger: (any HubPinging)?, time: any SystemTime
    ) {
        self.monitor = monitor
        self.session = session
        self.probe = probe
        self.pinger = pinger
        driver = MachineDriver(StandbyMachine(), time: time, wakeUp: { [.deadlineReached] })
    }

    /// Nil while the main path is in use.
    var standby: Standby? {
        guard case .pinned(let interface, _, _)? = inUse.current?.binding else { return nil }
        return Standby(interface: interface, main: driver.withMachine { $0.mainInterface })
    }

    /// The status of the path in use.
    func statuses() -> AsyncStream<PathStatus> {
        // A slow reader needs only the newest one.
        let (stream, continuation) = AsyncStream<PathStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let listener = inUse.listen { if let path = $0 { continuation.yield(path.status) } }
        inUse.greet(listener)
        continuation.onTermination = { [inUse] _ in inUse.ignore(listener) }
        return stream
    }

    /// Watches the paths, and the detector of `offline`, until the task is cancelled.
    func run(following offline: OfflineService) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await paths in self.monitor.paths() { self.driver.post(.pathsChanged(paths)) }
            }
            group.addTask {
                for await status in offline.statuses() {
                    self.driver.post(.networkChanged(status.network.state))
                }
            }
            await driver.run(in: &group) { _, effects, _ in
                effects.filter { effect in
                    guard case .use(let path) = effect else { return true }
                    use(path)
                    return false
                }
            } perform: { effect, _ in
                guard case .probe(let tag, let path) = effect else { return }
                let result = await self.probe.probe(path, timeout: StandbyMachine.probeTimeout)
                self.driver.post(.probeFinished(tag: tag, isGood: result.isGood))
            }
            group.cancelAll()
        }
    }

    /// The session first: the module probes the path as soon as it sees it.
    private func use(_ path: HubPath) {
        session.use(path.binding)
        pinger?.use(path.binding)
        inUse.publish(path)
    }
}

extension ProbeResult {
    fileprivate var isGood: Bool {
        if case .good = self { true } else { false }
    }
}
