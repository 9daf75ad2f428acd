/// The offline mode for other programs, by one `import HoldfastOffline`.
///
/// The module is four targets of this package, which its own programs import one by one: `Base` (moments,
/// encodings), `MachineRuntime` (the driver of machines), `OfflineCore` (the machines, pure) and
/// `OfflineMode` (the service that runs them, and its ports). An embedder needs the names of all of them, so
/// they are re-exported here. Where the system is Linux, its clocks and its event loop are with them.
@_exported public import Base
@_exported public import MachineRuntime
@_exported public import OfflineCore
@_exported public import OfflineMode

#if os(Linux)
    @_exported public import LinuxRuntime

    extension OfflinePorts {
        /// The ports that a program has to have, with the kernel's clocks; the other ports are absent
        /// (``AbsentPorts``) and may be set afterwards.
        public init(path: any PathMonitoring, probe: any HubProbing) {
            self.init(time: LinuxSystemTime(), path: path, probe: probe)
        }
    }
#endif

extension OfflineModeProviding {
    /// The route of `service`: `local` while the program is offline or that service is faulty.
    ///
    /// As ``OfflineModeProviding/route(of:)`` with the service's name, but a misspelt service does not
    /// compile.
    ///
    /// - Parameter service: one of the ``CoreAPIs`` that the service runs with. Another one is always
    ///   `local`, and the program's log has an error for it.
    public func route(of service: BusinessService) -> Route { route(of: service.name) }

    /// Whether requests of `service` go to the server now.
    ///
    /// Read it for each request: it changes while a program runs.
    public func isOnline(_ service: BusinessService) -> Bool { route(of: service) == .online }
}
