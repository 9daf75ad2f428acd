package import OfflineCore
import OfflineMode
internal import MachineRuntime
internal import Synchronization

/// Watches the path to the hub through rtnetlink.
///
/// It first subscribes to links, addresses and routes of both families and then reads the tables, so that no
/// change is missed. After every announcement, a lost one (overflow) included, it reads them again, and every
/// 300 s in any case. Each stream has a thread that sleeps in `poll`.
///
/// Where netlink is not available, the path counts as usable: the kernel's view is a hint, the probe decides.
package final class NetlinkPathMonitor: PathMonitoring {
    private let hub: HubAddresses
    private let derivation: PathDerivation
    private let options: NetlinkWatch.Options

    /// - Parameter hub: the addresses of the hub; while its name is not resolved the default route is used
    ///   instead.
    package convenience init(hub: HubAddresses, configuration: PathConfiguration = .init()) {
        self.init(hub: hub, configuration: configuration, options: .init())
    }

    init(hub: HubAddresses, configuration: PathConfiguration, options: NetlinkWatch.Options) {
        self.hub = hub
        derivation = PathDerivation(
            configuration: configuration, transport: LinkHardware.transport(of:))
        self.options = options
    }

    /// Starts a thread for each stream; the thread ends with it. A slow reader gets only the newest status.
    package func statuses() -> AsyncStream<PathStatus> {
        stream(
            { [derivation] tables, hub in
                HubPaths(main: HubPath(status: derivation.status(of: tables, hub: hub.current)))
            }, of: \.main.status)
    }

    /// The same with the path that stands by.
    package func paths() -> AsyncStream<HubPaths> {
        stream(
            { [derivation] tables, hub in
                let status = derivation.status(of: tables, hub: hub.current)
                let other = derivation.standby(of: tables, hub: hub.current, past: status.interface)
                let standby = other.flatMap { other in
                    guard let host = hub.host, let interface = other.status.interface else {
                        return nil as HubPath?
                    }
                    return HubPath(
                        status: other.status,
                        binding: .pinned(
                            interface: interface, host: host, address: other.address.description))
                }
                return HubPaths(main: HubPath(status: status), standby: standby)
            }, of: \.self)
    }

    private func stream<Value: Sendable>(
        _ derive: @escaping @Sendable (KernelTables, HubAddresses) -> HubPaths,
        of value: @escaping @Sendable (HubPaths) -> Value
    ) -> AsyncStream<Value> {
        // A slow reader needs only the newest one.
        let (stream, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watch = NetlinkWatch(
            options: options,
            derive: { [hub] tables in
                let paths = derive(tables, hub)
                hub.refresh(ifOlderThan: Self.staleAfter, orPathIsNot: paths.main.status.route)
                return paths
            },
            publish: { continuation.yield(value($0)) })
        let listener = hub.addresses.listen { _ in watch.wake() }
        continuation.onTermination = { [hub] _ in
            hub.addresses.ignore(listener)
            watch.stop()
        }
        watch.start()
        return stream
    }

    /// A name is resolved again after this time, when the tables are read anyway.
    private static let staleAfter: Duration = .seconds(240)
}
