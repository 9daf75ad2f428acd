import Glibc
import OfflineCore
import TestKit
import Testing

@testable import LinuxNetwork

@Suite(
    "ICMP pinger", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: NetworkNamespace.isAvailable, "network namespaces cannot be made here"))
struct ICMPPingerTests {
    @Test("a neighbour answers")
    func answers() async throws {
        let shop = try Shop()
        let result = await shop.pinger("10.77.0.1").ping(timeout: .seconds(2))
        guard case .answered(let roundTrip) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(roundTrip > .zero && roundTrip < .seconds(2))
    }

    @Test("a neighbour answers over IPv6")
    func answersSix() async throws {
        let shop = try Shop(till: "fd77::2/64", router: "fd77::1/64")
        let result = await shop.pinger("fd77::1").ping(timeout: .seconds(2))
        guard case .answered = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("a datagram socket is used where the group may")
    func datagram() async throws {
        let shop = try Shop()
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv4.ping_group_range=0 0"])
        let result = await shop.pinger("10.77.0.1").ping(timeout: .seconds(2))
        guard case .answered = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("a silent blackhole on the far side lets the ping time out, not before its time")
    func blackhole() async throws {
        let shop = try Shop()
        try shop.router.setBlackhole("10.77.0.2/32", true)
        let start = LinuxSystemTime().now()
        #expect(await shop.pinger("10.77.0.1").ping(timeout: .milliseconds(300)) == .timedOut)
        let waited = LinuxSystemTime().now() - start
        #expect(waited >= .milliseconds(300) && waited < .seconds(3))
    }

    @Test("without a route it has timed out at once")
    func noRoute() async throws {
        let shop = try Shop()
        let start = LinuxSystemTime().now()
        #expect(await shop.pinger("203.0.113.9").ping(timeout: .seconds(30)) == .timedOut)
        #expect(LinuxSystemTime().now() - start < .seconds(5))
    }

    @Test("the second address is tried where the first cannot be sent to")
    func secondAddress() async throws {
        let shop = try Shop()
        let hub = HubAddresses([try address("2001:db8::9"), try address("10.77.0.1")])
        let result = await ICMPPinger(hub: hub, prelude: { shop.till.enter() }).ping(timeout: .seconds(2))
        guard case .answered = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("pings beside each other each find their own reply")
    func together() async throws {
        let shop = try Shop()
        let pinger = shop.pinger("10.77.0.1")
        let answered = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    if case .answered = await pinger.ping(timeout: .seconds(5)) { true } else { false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(answered == 32)
    }

    @Test("without permission a ping is unavailable, never down")
    func notPermitted() async throws {
        let pinger = ICMPPinger(
            hub: HubAddresses([try address("127.0.0.1")]), prelude: { dropThreadPrivileges() })
        #expect(await pinger.ping(timeout: .seconds(1)) == .unavailable)
    }

    @Test("without an address there is nobody to ping")
    func noAddress() async {
        #expect(await ICMPPinger(hub: HubAddresses([])).ping(timeout: .seconds(1)) == .unavailable)
    }
}

extension Shop {
    func pinger(_ hub: String) -> ICMPPinger {
        ICMPPinger(hub: HubAddresses(host: hub), prelude: { [till] in till.enter() })
    }
}

/// Takes every capability from the calling thread, and from it alone.
private func dropThreadPrivileges() {
    typealias CapabilitySetter = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Int32
    guard let symbol = dlsym(nil, "capset") else { return }
    let setCapabilities = unsafeBitCast(symbol, to: CapabilitySetter.self)
    let version3: [UInt32] = [0x2008_0522, 0]
    let nothing = [UInt32](repeating: 0, count: 6)
    _ = setCapabilities(version3, nothing)
}
