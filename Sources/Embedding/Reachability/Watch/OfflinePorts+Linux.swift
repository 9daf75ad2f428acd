public import OfflineMode

extension OfflinePorts {
    /// The ports of Linux, for a program that embeds the offline module and writes no socket: the kernel's
    /// clocks, its reports of the path (rtnetlink), ICMP echoes to the server's host, and probes of the
    /// server over HTTP. The other ports are absent (``OfflineMode/AbsentPorts``) and may be set afterwards.
    ///
    /// - Parameters:
    ///   - server: what responds while the server works, for example `https://shop.example/healthz`.
    ///   - settings: certificates, metered interfaces and independent addresses to probe; the times of a
    ///     monitor are those of `OfflineSettings` here.
    /// - Throws: ``ReachabilityError`` for an address that cannot be probed; correct it.
    public static func linux(
        probing server: ReachabilityProbe, settings: ReachabilitySettings = ReachabilitySettings()
    ) throws(ReachabilityError) -> OfflinePorts {
        let ports = try ReachabilityPorts.makingForLinux(.host(server), settings: settings)()
        return OfflinePorts(time: ports.time, path: ports.path, ping: ports.ping, probe: ports.probe)
    }
}
