import Base
import LinuxRuntime
import MachineRuntime
import Glibc
import OfflineCore
import TestKit
import Testing

@testable import LinuxNetwork

@Suite(
    "ICMP pinger", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: NetworkNamespace.isAvailable, "network namespaces cannot be made here"))
struct ICMPPingerTests {
    @Test("a neighbour responds")
    func responses() async throws {
        let shop = try Shop()
        let result = try await shop.ping("10.77.0.1", timeout: .seconds(2)).first
        guard case .responded(let roundTrip) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(roundTrip > .zero && roundTrip < .seconds(2))
    }

    @Test("a neighbour responds over IPv6")
    func respondsSixTimes() async throws {
        let shop = try Shop(till: "fd77::2/64", router: "fd77::1/64")
        let result = try await shop.ping("fd77::1", timeout: .seconds(2)).first
        guard case .responded = result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test("a datagram socket is used where the group has permission")
    func datagram() async throws {
        let shop = try Shop()
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv4.ping_group_range=0 0"])
        let result = try await shop.ping("10.77.0.1", timeout: .seconds(2)).first
        guard case .responded = result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test("a silent blackhole on the far side makes the ping time out, not before its time")
    func blackhole() async throws {
        let shop = try Shop()
        try shop.router.setBlackhole("10.77.0.2/32", true)
        let start = LinuxSystemTime().now()
        #expect(try await shop.ping("10.77.0.1", timeout: .milliseconds(300)) == [.timedOut])
        let waited = LinuxSystemTime().now() - start
        #expect(waited >= .milliseconds(300) && waited < .seconds(60))
    }

    @Test("without a route it has timed out at once")
    func noRoute() async throws {
        let shop = try Shop()
        let start = LinuxSystemTime().now()
        #expect(try await shop.ping("203.0.113.9", timeout: .seconds(30)) == [.timedOut])
        #expect(LinuxSystemTime().now() - start < .seconds(5))
    }

    @Test("the second address is tried where the first cannot be sent to")
    func secondAddress() async throws {
        let shop = try Shop()
        let hub = HubAddresses([try address("2001:db8::9"), try address("10.77.0.1")])
        let thread = try EventLoopThread(named: "ping-test")
        let result = await ICMPPinger(hub: hub, loop: thread.loop, prelude: { shop.till.enter() })
            .ping(timeout: .seconds(2))
        guard case .responded = result else {
            Issue.record("\(String(describing: result))")
            return
        }
    }

    @Test("pings beside each other each find their own reply")
    func together() async throws {
        let shop = try Shop()
        let results = try await shop.ping("10.77.0.1", timeout: .seconds(5), times: 32)
        let responded = results.count { if case .responded = $0 { true } else { false } }
        #expect(responded == 32)
    }

    @Test("without permission a ping is unavailable, never down")
    func notPermitted() async throws {
        let thread = try EventLoopThread(named: "ping-test")
        let pinger = ICMPPinger(
            hub: HubAddresses([try address("127.0.0.1")]), loop: thread.loop,
            prelude: { dropThreadPrivileges() })
        #expect(await pinger.ping(timeout: .seconds(1)) == .unavailable)
    }

    @Test("without an address a ping is unavailable")
    func noAddress() async throws {
        let thread = try EventLoopThread(named: "ping-test")
        let pinger = ICMPPinger(hub: HubAddresses([]), loop: thread.loop)
        #expect(await pinger.ping(timeout: .seconds(1)) == .unavailable)
    }
}

extension Shop {
    /// Pings `hub` from the till's namespace, on a loop whose thread moved there, `times` times at once.
    func ping(_ hub: String, timeout: Duration, times: Int = 1) async throws -> [PingResult] {
        let thread = try EventLoopThread(named: "ping-test")
        let pinger = ICMPPinger(
            hub: HubAddresses(host: hub), loop: thread.loop, prelude: { [till] in till.enter() })
        return await withTaskGroup(of: PingResult.self) { group in
            for _ in 0..<times { group.addTask { await pinger.ping(timeout: timeout) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
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
