import Base
import CurlHTTP
import LinuxNetwork
import OfflineCore
public import OfflineMode
import LinuxRuntime
import MachineRuntime

/// The ports of a watch to the kernel and the network.
struct ReachabilityPorts: Sendable {
    var time: any SystemTime
    var path: any PathMonitoring
    var ping: any Pinging
    var probe: any HubProbing
}

extension ReachabilityPorts {
    /// The kernel's path, ICMP and libcurl.
    ///
    /// - Returns: makes the ports of one watch.
    static func makingForLinux(
        _ target: ReachabilityTarget, settings: ReachabilitySettings
    ) throws(ReachabilityError) -> @Sendable () -> ReachabilityPorts {
        guard !target.probes.isEmpty else { throw .noAddress }
        return making(
            try addresses(of: target.probes), try addresses(of: settings.independentProbes),
            settings: settings)
    }

    static func making(
        _ target: [ProbeAddress], _ independent: [ProbeAddress], settings: ReachabilitySettings
    ) -> @Sendable () -> ReachabilityPorts {
        {
            let addresses = HubAddresses(host: target.first?.url.host ?? "")
            let time = LinuxSystemTime()
            let transport = SharedTransport.take(caFile: settings.caFile)
            return ReachabilityPorts(
                time: time,
                path: NetlinkPathMonitor(
                    hub: addresses,
                    configuration: PathConfiguration(
                        meteredInterfaces: settings.meteredInterfaces, isConstrained: settings.isConstrained)),
                ping: pinger(of: target.first, addresses, transport),
                probe: CurlTargetProbe(
                    target: target, independent: independent, transport: transport, time: time))
        }
    }

    /// On loopback this machine's own kernel would respond, which is no evidence on the target.
    private static func pinger(
        of target: ProbeAddress?, _ addresses: HubAddresses, _ transport: SharedTransport?
    ) -> any Pinging {
        guard let loop = transport?.loop, target?.url.isLoopback == false else { return NoPing() }
        return ICMPPinger(hub: addresses, loop: loop)
    }

    private static func addresses(
        of probes: [ReachabilityProbe]
    ) throws(ReachabilityError) -> [ProbeAddress] {
        var addresses: [ProbeAddress] = []
        for probe in probes {
            guard let address = probe.readable else { throw .unreadableAddress(probe.address) }
            addresses.append(address)
        }
        return addresses
    }
}

/// Used where an echo would be no evidence.
struct NoPing: Pinging {
    func ping(timeout: Duration) async -> PingResult { .unavailable }
}

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
