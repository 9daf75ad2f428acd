import Base
import Foundation
import OfflineCore
import Synchronization
import TestKit
import Testing

@testable import LinuxNetwork

/// How real kernels change a path, each tested with the kernel's own events.
@Suite(
    "Edges of the path", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct PathEdgeTests {
    @Test("an interface with carrier and a route is no path without an address")
    func carrierWithoutAddress() async throws {
        let shop = try Shop()
        try shop.till.ip("address", "flush", "dev", "till0")
        var statuses = shop.monitor(hub: "10.77.0.1").statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isUsable == false)
        try shop.till.ip("route", "add", "10.77.0.0/24", "dev", "till0")
        let bare = try #require(await statuses.next(where: { $0.interface == "till0" }))
        #expect(!bare.isUsable)
        #expect(bare.route == "till0 none")
        try shop.till.ip("address", "add", "10.77.0.2/24", "dev", "till0")
        #expect(await statuses.next(where: \.isUsable)?.route == "till0 10.77.0.2")
    }

    @Test("an IPv6 address counts once the kernel has found it unique, without another event")
    func tentativeAddress() async throws {
        let shop = try Shop(till: "fd77::2/64", router: "fd77::1/64")
        try shop.till.ip("-6", "address", "flush", "dev", "till0", "scope", "global")
        var statuses = shop.monitor(hub: "fd77::1").statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isUsable == false)
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv6.conf.till0.accept_dad=1"])
        try shop.till.ip("-6", "address", "add", "fd77::3/64", "dev", "till0")
        #expect(await statuses.next(where: \.isUsable)?.route == "till0 fd77::3")
        #expect(
            try shop.till.ip("-6", "address", "show", "dev", "till0", "scope", "global", "tentative").isEmpty)
    }

    @Test(
        "an interface of containers is no path while the hub's name is unknown, though its route is best",
        arguments: ["docker0", "veth7f", "br-4d2", "virbr0", "cni0"])
    func containers(name: String) async throws {
        let shop = try Shop()
        try shop.till.ip("route", "add", "default", "via", "10.77.0.1", "metric", "100")
        try shop.till.ip("link", "add", name, "type", "veth", "peer", "name", "inside")
        try shop.till.ip("link", "set", name, "up")
        try shop.till.ip("link", "set", "inside", "up")
        try shop.till.ip("address", "add", "172.17.0.1/16", "dev", name)
        try shop.till.ip("route", "add", "default", "via", "172.17.0.2", "metric", "1")
        let hub = HubAddresses([])
        var statuses = shop.monitor(hub: hub).statuses().makeAsyncIterator()
        #expect(await statuses.next(where: \.isUsable)?.interface == "till0")
        // Once the hub is known, the interface that holds the route to it is the path, whatever its name.
        hub.replace([try address("172.17.9.9")])
        let way = try #require(await statuses.next(where: { $0.interface == name }))
        #expect(way.isUsable)
    }

    @Test("a default route that moves to another uplink is another path, without a gap between")
    func routeMoved() async throws {
        let shop = try TwoUplinks()
        try shop.till.ip("route", "add", "default", "via", "10.77.0.1", "metric", "100")
        var statuses = shop.monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.route == "till0 10.77.0.2 via 10.77.0.1")
        try shop.till.ip("route", "add", "default", "via", "10.78.0.1", "metric", "50")
        let moved = try #require(await statuses.next())
        #expect(moved.isUsable && moved.route == "till1 10.78.0.2 via 10.78.0.1")
        try shop.till.ip("route", "delete", "default", "via", "10.77.0.1")
        try shop.till.ip("route", "delete", "default", "via", "10.78.0.1")
        #expect(await statuses.next()?.isUsable == false)
    }

    @Test("when one of two uplinks is switched off, the other is used")
    func uplinkSwitchedOff() async throws {
        let shop = try TwoUplinks(withRoutes: true)
        var statuses = shop.monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.interface == "till0")
        try shop.till.setLink("till0", up: false)
        #expect(await statuses.next(where: { $0.isUsable && $0.interface == "till1" }) != nil)
    }

    @Test(
        "an uplink without its cable stays the path until its route is removed; then the other is used"
    )
    func uplinkPulled() async throws {
        let shop = try TwoUplinks(withRoutes: true)
        var statuses = shop.monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.interface == "till0")
        try shop.first.setLink("shop0", up: false)
        let dead = try #require(await statuses.next(where: { !$0.isUsable }))
        #expect(dead.interface == "till0")
        try shop.till.ip("route", "delete", "default", "via", "10.77.0.1")
        #expect(await statuses.next(where: \.isUsable)?.interface == "till1")
    }

    @Test("where the kernel skips routes without carrier, so does the path")
    func deadRoutesIgnored() async throws {
        let shop = try TwoUplinks(withRoutes: true)
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv4.conf.all.ignore_routes_with_linkdown=1"])
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv4.conf.till0.ignore_routes_with_linkdown=1"])
        var statuses = shop.monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.interface == "till0")
        try shop.first.setLink("shop0", up: false)
        #expect(await statuses.next(where: { $0.isUsable && $0.interface == "till1" }) != nil)
        try shop.first.setLink("shop0", up: true)
        #expect(await statuses.next(where: { $0.isUsable && $0.interface == "till0" }) != nil)
    }

    @Test("after announcements that overflow the socket the view is that of a new dump", arguments: 1...3)
    func overflow(seed: UInt64) async throws {
        let shop = try TwoUplinks()
        let overflows = Mutex(0)
        var options = shop.options
        options.receiveBuffer = 1
        options.pace = .milliseconds(200)
        options.onReading = { reason in if reason == .overflow { overflows.withLock { $0 += 1 } } }
        let hub = try address(TwoUplinks.hub)
        let monitor = NetlinkPathMonitor(
            hub: HubAddresses([hub]), configuration: .init(), options: options)
        let last = Mutex<PathStatus?>(nil)
        let following = Task {
            for await status in monitor.statuses() { last.withLock { $0 = status } }
        }
        while last.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(10)) }
        var generator = SplitMix64(seed: seed)
        // A reader that keeps up with one storm gets the next.
        for storm in 1...30 where storm <= 3 || overflows.withLock({ $0 }) == 0 {
            try shop.till.batch(TwoUplinks.storm(&generator))
        }
        let fresh = try shop.freshView(to: hub)
        var reported: PathStatus?
        for _ in 0..<400 {
            reported = last.withLock { $0 }
            if reported == fresh, overflows.withLock({ $0 }) > 0 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(reported == fresh)
        #expect(overflows.withLock { $0 } > 0)
        following.cancel()
    }
}

/// A till with two uplinks, each to a router of its own.
final class TwoUplinks: Sendable {
    static let hub = "203.0.113.9"

    let till: NetworkNamespace
    let first: NetworkNamespace
    let second: NetworkNamespace

    init(withRoutes: Bool = false) throws {
        till = try NetworkNamespace("till")
        first = try NetworkNamespace("first")
        second = try NetworkNamespace("second")
        try till.connect("till0", "10.77.0.2/24", to: first, "shop0", "10.77.0.1/24")
        try till.connect("till1", "10.78.0.2/24", to: second, "shop1", "10.78.0.1/24")
        guard withRoutes else { return }
        try till.ip("route", "add", "default", "via", "10.77.0.1", "metric", "100")
        try till.ip("route", "add", "default", "via", "10.78.0.1", "metric", "200")
    }

    deinit {
        // The monitors' threads may hold on to the till for a moment longer.
        for end in [till, first, second] { end.remove() }
    }

    var options: NetlinkWatch.Options {
        var options = NetlinkWatch.Options()
        options.prelude = { [till] in till.enter() }
        return options
    }

    var monitor: NetlinkPathMonitor {
        NetlinkPathMonitor(hub: HubAddresses(host: Self.hub), configuration: .init(), options: options)
    }

    /// Hundreds of changes of routes, the hub's own route among them.
    static func storm(_ generator: inout SplitMix64) -> [String] {
        // The kernel announces a route only when it changes, so each alternates between two values.
        let way = 7 + generator.below(2)
        let far = (1...300).flatMap { number in
            let route = "route replace 10.99.\(number / 250).\(number % 250) via 10.7"
            return ["\(route)\(15 - way).0.1", "\(route)\(way).0.1"]
        }
        let near = (0..<20).flatMap { _ in
            let (side, bits) = (7 + generator.below(2), 24 + generator.below(9))
            let block = "203.0.113.\(bits == 32 ? 9 : 0)/\(bits > 28 && bits < 32 ? 28 : bits)"
            return ["route replace \(block) via 10.7\(side).0.1"]
        }
        let mixed = (far + near).shuffled(using: &generator)
        return mixed + ["route replace blackhole 198.51.100.0/24"]
    }

    /// The path of a new dump.
    func freshView(to hub: IPAddress) throws -> PathStatus {
        let found = Mutex<PathStatus?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        // A separate thread, since it stays in the till's namespace.
        Thread.detachNewThread { [till] in
            till.enter()
            let derivation = PathDerivation(configuration: .init(), transport: LinkHardware.transport(of:))
            let tables = try? NetlinkDump.read()
            found.withLock { $0 = tables.map { derivation.status(of: $0, hub: [hub]) } }
            isOver.signal()
        }
        isOver.wait()
        return try #require(found.withLock { $0 })
    }
}
