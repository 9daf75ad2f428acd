package import LinuxRuntime
package import OfflineCore
import OfflineMode
internal import Synchronization

/// Pings the hub with ICMP or ICMPv6 echoes.
///
/// A ping waits on the event loop: one wake-up for its response, or one for its timeout. Without a permitted
/// socket, and while the hub's addresses are unknown, a ping is unavailable.
package final class ICMPPinger: Pinging {
    private let hub: HubAddresses
    private let loop: EventLoop
    private let prelude: @Sendable () -> Void
    /// The interface that pings leave by; nil: as the kernel's routes lead.
    private let interface = Mutex<String?>(nil)

    /// - Parameter hub: its addresses are tried in their order until one can be sent to.
    package convenience init(hub: HubAddresses, loop: EventLoop) {
        self.init(hub: hub, loop: loop, prelude: {})
    }

    /// - Parameter prelude: runs first on the loop at each ping: a test moves its thread into a network
    ///   namespace.
    init(hub: HubAddresses, loop: EventLoop, prelude: @escaping @Sendable () -> Void) {
        self.hub = hub
        self.loop = loop
        self.prelude = prelude
    }

    /// Pings over `binding` from now on.
    package func use(_ binding: PathBinding) {
        let name: String? =
            switch binding {
            case .routed: nil
            case .pinned(let interface, _, _): interface
            }
        interface.withLock { $0 = name }
    }

    /// Tries the hub's addresses in order; the first to which an echo can be sent decides. None means
    /// `timedOut`.
    package func ping(timeout: Duration) async -> PingResult {
        hub.refresh(ifOlderThan: .seconds(600), orPathIsNot: nil)
        let targets = hub.current
        guard !targets.isEmpty else { return .unavailable }
        return await withCheckedContinuation { continuation in
            loop.perform { [loop, prelude, interface = interface.withLock(\.self)] in
                prelude()
                Self.ping(targets[...], over: interface, timeout: timeout, on: loop) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    /// The first address to which a request can be sent decides. None at all means that there is no network.
    private static func ping(
        _ targets: ArraySlice<IPAddress>, over interface: String?, timeout: Duration, on loop: EventLoop,
        _ completion: @escaping (PingResult) -> Void
    ) {
        guard let target = targets.first else { return completion(.timedOut) }
        EchoExchange(address: target, interface: interface, timeout: timeout, loop: loop).run { end in
            switch end {
            case .responded(let roundTrip): completion(.responded(roundTrip: roundTrip))
            case .timedOut: completion(.timedOut)
            case .unavailable: completion(.unavailable)
            case .unreachable:
                ping(targets.dropFirst(), over: interface, timeout: timeout, on: loop, completion)
            }
        }
    }
}
