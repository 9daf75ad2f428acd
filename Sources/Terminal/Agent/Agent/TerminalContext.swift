package import CurlHTTP
internal import CurlTransport
package import LinuxNetwork
package import LinuxRuntime
package import MachineRuntime
package import OfflineCore
package import OfflineMode

internal import Foundation

/// What lies around an agent and is no part of it: the clocks, the network, other programs. A till in a shop
/// has those of its machine, one in a simulated shop those of a world.
package protocol TerminalContext: Sendable {
    /// The clocks of the till.
    var time: any SystemTime { get }
    /// Whether programs of this machine can reach the agent over its socket.
    var hasPrograms: Bool { get }
    /// Whether work may be done on threads of its own.
    var hasThreads: Bool { get }

    /// What the sockets of this machine wait on; nil: there are none.
    var sockets: EventLoop? { get }
    /// The way to the other tills of the store; nil: there is none.
    var neighbours: (any NeighbourNetwork)? { get }

    /// What sends the requests to the hub.
    ///
    /// - Parameter caFile: the certificates that vouch for the hub; nil: those of the system.
    /// - Throws: where the certificates cannot be read or the system has no room.
    func session(caFile: String?) throws(TerminalError) -> any HTTPSession

    /// Connects to a device of the shop's network.
    ///
    /// - Returns: nil where nobody accepts the connection in time.
    func connect(to device: DeviceAddress, within limit: Duration) async -> (any DeviceLine)?

    /// What is seen of the way to `hub` without a request.
    func way(to hub: ServerURL, _ configuration: PathConfiguration) -> HubWay
}

extension TerminalContext {
    /// None: a simulated shop has links of its own.
    package var sockets: EventLoop? { nil }

    /// By TCP.
    package func connect(to device: DeviceAddress, within limit: Duration) async -> (any DeviceLine)? {
        await DeviceStream.connect(to: device, within: limit)
    }
}

/// What is seen of the way to the hub beside the requests.
package struct HubWay: Sendable {
    /// The kernel's view of the interfaces.
    package let monitor: any HubPathWatching
    /// Nil for a hub on loopback: this machine's own kernel would respond, and that says nothing of the hub.
    package let pinger: (any HubPinging)?

    package init(monitor: any HubPathWatching, pinger: (any HubPinging)?) {
        self.monitor = monitor
        self.pinger = pinger
    }
}

/// Watches the paths to the hub.
package protocol HubPathWatching: Sendable {
    /// The main path and the one that stands by, at once and after each change. A slow reader gets the
    /// newest one.
    func paths() -> AsyncStream<HubPaths>
}

/// Pings the hub over the path in use.
package protocol HubPinging: Pinging {
    /// Pings over `binding` from now on.
    func use(_ binding: PathBinding)
}

extension NetlinkPathMonitor: HubPathWatching {}
extension ICMPPinger: HubPinging {}

/// Those of a till in a shop: the kernel's clocks, libcurl, rtnetlink and ICMP, all on one event loop.
package struct LinuxContext: TerminalContext {
    private let loop: EventLoop

    /// - Parameter loop: everything that waits, waits on it. It has to be run by somebody.
    package init(loop: EventLoop) { self.loop = loop }

    package var time: any SystemTime { LinuxSystemTime(loop: loop) }
    package var hasPrograms: Bool { true }
    package var hasThreads: Bool { true }
    package var sockets: EventLoop? { loop }
    package var neighbours: (any NeighbourNetwork)? { ShopNetwork(loop: loop) }

    /// A session that trusts the system's roots, or `caFile` alone.
    package func session(caFile: String?) throws(TerminalError) -> any HTTPSession {
        if let caFile, !FileManager.default.isReadableFile(atPath: caFile) {
            throw TerminalError(.unusable, code: "configuration_value") { $0.authorityUnreadable(caFile) }
        }
        do {
            return try CurlSession(
                configuration: CurlSessionConfiguration(
                    caFile: caFile,
                    userAgent: HubClientConfiguration.userAgent(
                        version: TerminalVersion.current, system: "Linux")),
                loop: loop)
        } catch {
            throw TerminalError(.tryAgain, code: "no_resources") { $0.transportNotStarted("\(error)") }
        }
    }

    package func way(to hub: ServerURL, _ configuration: PathConfiguration) -> HubWay {
        let addresses = HubAddresses(host: hub.host)
        return HubWay(
            monitor: NetlinkPathMonitor(hub: addresses, configuration: configuration),
            pinger: hub.isLoopback ? nil : ICMPPinger(hub: addresses, loop: loop))
    }
}
