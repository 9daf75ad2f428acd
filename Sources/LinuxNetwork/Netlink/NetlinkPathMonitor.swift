public import OfflineCore
public import OfflineMode
internal import Synchronization

/// Watches the way to the hub through rtnetlink.
///
/// It subscribes to links, addresses and routes of both families first and reads the tables then, so that no
/// change falls between. Every announcement, a lost one (overflow) included, leads to reading them anew, and they
/// are read every 300 s in any case. Each stream has a thread that sleeps in `poll`.
///
/// Where netlink is not to be had, the path counts as usable: the kernel's view is a hint, the probe decides.
public final class NetlinkPathMonitor: PathMonitoring {
    private struct State {
        var hub: [IPAddress]
        var watches: [Int: NetlinkWatch] = [:]
        var nextWatch = 0
    }

    private let derivation: PathDerivation
    private let options: NetlinkWatch.Options
    private let state: Mutex<State>

    /// - Parameter hubAddresses: what the hub's name resolves to; while it is empty the default route stands in.
    public convenience init(hubAddresses: [IPAddress] = [], configuration: PathConfiguration = .init()) {
        self.init(hubAddresses: hubAddresses, configuration: configuration, options: .init())
    }

    init(hubAddresses: [IPAddress], configuration: PathConfiguration, options: NetlinkWatch.Options) {
        derivation = PathDerivation(configuration: configuration, transport: LinkHardware.transport(of:))
        self.options = options
        state = Mutex(State(hub: hubAddresses))
    }

    /// Takes the hub's addresses after its name was resolved again; the streams tell what changes by it.
    public func update(hubAddresses: [IPAddress]) {
        let watches = state.withLock { state -> [NetlinkWatch] in
            guard state.hub != hubAddresses else { return [] }
            state.hub = hubAddresses
            return Array(state.watches.values)
        }
        for watch in watches { watch.wake() }
    }

    public func statuses() -> AsyncStream<PathStatus> {
        // Only the newest status is of use to a reader that was slow.
        let (stream, continuation) = AsyncStream<PathStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = NetlinkWatch(
            options: options,
            derive: { [derivation, weak self] tables in
                derivation.status(of: tables, hub: self?.hubAddresses ?? [])
            },
            publish: { continuation.yield($0) })
        let number = state.withLock { state -> Int in
            state.nextWatch += 1
            state.watches[state.nextWatch] = watch
            return state.nextWatch
        }
        continuation.onTermination = { [weak self] _ in
            self?.forget(number)
            watch.stop()
        }
        watch.start()
        return stream
    }

    private var hubAddresses: [IPAddress] { state.withLock { $0.hub } }

    private func forget(_ number: Int) {
        state.withLock { $0.watches[number] = nil }
    }
}
