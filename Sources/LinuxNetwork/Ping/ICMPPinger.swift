public import OfflineCore
public import OfflineMode

/// Pings the hub with ICMP or ICMPv6 echoes.
///
/// Each ping has a thread of its own for the second at most that it lasts; nothing runs in between. Without a
/// permitted socket, and while the hub's addresses are not known, a ping is unavailable.
public final class ICMPPinger: Pinging {
    private let hub: HubAddresses
    private let prelude: @Sendable () -> Void

    /// - Parameter hub: its addresses are tried in their order until one can be sent to.
    public convenience init(hub: HubAddresses) {
        self.init(hub: hub, prelude: {})
    }

    /// Pings `host`, a name or an address.
    public convenience init(host: String) {
        self.init(hub: HubAddresses(host: host))
    }

    /// - Parameter prelude: runs first on a ping's thread: a test moves it into a network namespace.
    init(hub: HubAddresses, prelude: @escaping @Sendable () -> Void) {
        self.hub = hub
        self.prelude = prelude
    }

    public func ping(timeout: Duration) async -> PingResult {
        hub.refresh(ifOlderThan: .seconds(600), orPathIsNot: nil)
        let targets = hub.current
        guard !targets.isEmpty else { return .unavailable }
        return await withCheckedContinuation { continuation in
            let code = DetachedThread.start { [prelude] in
                prelude()
                continuation.resume(returning: Self.ping(targets, timeout: timeout))
            }
            if code != 0 { continuation.resume(returning: .unavailable) }
        }
    }

    /// The first address that can be sent to decides. None at all is a network that is not there.
    private static func ping(_ targets: [IPAddress], timeout: Duration) -> PingResult {
        for target in targets {
            switch EchoExchange(address: target, timeout: timeout).run() {
            case .answered(let roundTrip): return .answered(roundTrip: roundTrip)
            case .timedOut: return .timedOut
            case .unavailable: return .unavailable
            case .unreachable: continue
            }
        }
        return .timedOut
    }
}
