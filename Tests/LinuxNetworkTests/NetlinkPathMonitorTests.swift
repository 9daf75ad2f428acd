import Base
import Glibc
import OfflineCore
import OfflineMode
import Synchronization
import TestKit
import Testing

@testable import LinuxNetwork
import LinuxRuntime
import MachineRuntime

@Suite(
    "Netlink path monitor", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: NetworkNamespace.isAvailable, "network namespaces cannot be made here"))
struct NetlinkPathMonitorTests {
    @Test("reports the present path first, then a cable unplugged and plugged in")
    func cable() async throws {
        let shop = try Shop()
        var statuses = shop.monitor(hub: "10.77.0.1").statuses().makeAsyncIterator()
        let first = try #require(await statuses.next())
        #expect(first.isUsable)
        #expect(first.route == "till0 10.77.0.2")
        #expect(first.transport == .ethernet)
        try shop.router.setLink("shop0", up: false)
        let lost = try #require(await statuses.next(where: { !$0.isUsable }))
        #expect(lost.interface == "till0")
        try shop.router.setLink("shop0", up: true)
        let back = try #require(await statuses.next(where: \.isUsable))
        #expect(back.route == first.route)
    }

    @Test("an interface switched off is reported within 50 ms")
    func quick() async throws {
        let shop = try Shop()
        var statuses = shop.monitor(hub: "10.77.0.1").statuses().makeAsyncIterator()
        _ = await statuses.next()
        var best = Duration.seconds(10)
        for _ in 0..<5 {
            try shop.till.setLink("till0", up: false)
            let cut = LinuxSystemTime().now()
            _ = await statuses.next(where: { !$0.isUsable })
            best = min(best, LinuxSystemTime().now() - cut)
            try shop.till.setLink("till0", up: true)
            _ = await statuses.next(where: \.isUsable)
        }
        #expect(best < .milliseconds(50))
    }

    @Test("routes are added and removed: default, specific, blackhole")
    func routes() async throws {
        let shop = try Shop()
        var statuses = shop.monitor(hub: "203.0.113.9").statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isUsable == false)
        try shop.till.ip("route", "add", "default", "via", "10.77.0.1")
        #expect(await statuses.next()?.route == "till0 10.77.0.2 via 10.77.0.1")
        try shop.till.ip("route", "add", "blackhole", "203.0.113.0/24")
        #expect(await statuses.next()?.isUsable == false)
        try shop.till.ip("route", "delete", "blackhole", "203.0.113.0/24")
        #expect(await statuses.next()?.isUsable == true)
        try shop.till.ip("address", "flush", "dev", "till0")
        #expect(await statuses.next(where: { !$0.isUsable }) != nil)
    }

    @Test("a path with IPv6 alone is a path to an IPv6 hub and none to an IPv4 one")
    func ipv6Only() async throws {
        let shop = try Shop(till: "fd77::2/64", router: "fd77::1/64")
        var six = shop.monitor(hub: "fd77::1").statuses().makeAsyncIterator()
        let status = try #require(await six.next(where: \.isUsable))
        #expect(status.route == "till0 fd77::2")
        var four = shop.monitor(hub: "10.77.0.1").statuses().makeAsyncIterator()
        #expect(await four.next()?.isUsable == false)
        try shop.till.setLink("till0", up: false)
        #expect(await six.next(where: { !$0.isUsable }) != nil)
    }

    @Test("addresses resolved later change the path at once")
    func resolvedLater() async throws {
        let shop = try Shop()
        let hub = HubAddresses([])
        let monitor = shop.monitor(hub: hub)
        var statuses = monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isUsable == false)
        hub.replace([try address("10.77.0.1")])
        #expect(await statuses.next()?.isUsable == true)
    }

    @Test("after a forced overflow of the socket the view is the kernel's")
    func overflow() async throws {
        let shop = try Shop()
        let reasons = Mutex<[NetlinkWatch.Reason]>([])
        var options = shop.options
        options.receiveBuffer = 1
        options.pace = .milliseconds(300)
        options.onReading = { reason in reasons.withLock { $0.append(reason) } }
        let monitor = NetlinkPathMonitor(
            hub: HubAddresses([try address("10.78.0.9")]), configuration: .init(), options: options)
        var statuses = monitor.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.isUsable == false)
        let script = (1...400).map { "route add 10.99.\($0 / 250).\($0 % 250) via 10.77.0.1" }
        try shop.till.batch(script + ["route add 10.78.0.0/24 via 10.77.0.1"])
        #expect(await statuses.next(where: \.isUsable)?.route == "till0 10.77.0.2 via 10.77.0.1")
        #expect(reasons.withLock { $0.contains(.overflow) })
    }

    @Test("the tables are read again after the safety interval without any announcement")
    func safety() async throws {
        let shop = try Shop()
        let safe = AsyncStream<Void>.makeStream()
        var options = shop.options
        options.safetyInterval = .milliseconds(50)
        options.onReading = { reason in if reason == .safety { safe.continuation.yield() } }
        let monitor = NetlinkPathMonitor(
            hub: HubAddresses([try address("10.77.0.1")]), configuration: .init(), options: options)
        let stream = monitor.statuses()
        var readings = safe.stream.makeAsyncIterator()
        #expect(await readings.next() != nil)
        _ = stream
    }

    @Test("started and stopped a hundred times, no descriptor stays open")
    func noLeaks() async throws {
        let shop = try Shop()
        let monitor = shop.monitor(hub: "10.77.0.1")
        for _ in 0..<3 { await Self.firstStatus(of: monitor) }
        let before = try Self.openSockets()
        for _ in 0..<100 { await Self.firstStatus(of: monitor) }
        var after = try Self.openSockets()
        for _ in 0..<200 where after > before {
            try await Task.sleep(for: .milliseconds(10))
            after = try Self.openSockets()
        }
        #expect(after <= before)
    }

    private static func firstStatus(of monitor: NetlinkPathMonitor) async {
        for await _ in monitor.statuses() { return }
    }

    /// Netlink sockets of this process; other suites open and close other kinds meanwhile.
    private static func openSockets() throws -> Int {
        let netlink = try Command.run(["cat", "/proc/self/net/netlink"])
        return netlink.split(separator: "\n").count { line in
            let words = line.split(separator: " ")
            return words.count > 2 && words[1] == "0" && words[2] != "0"
        }
    }
}

/// A till and a router with a cable between them.
final class Shop: Sendable {
    let till: NetworkNamespace
    let router: NetworkNamespace

    init(till address: String = "10.77.0.2/24", router routerAddress: String = "10.77.0.1/24") throws {
        till = try NetworkNamespace("till")
        router = try NetworkNamespace("shop")
        try till.connect("till0", address, to: router, "shop0", routerAddress)
    }

    deinit {
        // The monitors' threads may hold on to the till for a moment longer.
        till.remove()
        router.remove()
    }

    var options: NetlinkWatch.Options {
        var options = NetlinkWatch.Options()
        options.prelude = { [till] in till.enter() }
        return options
    }

    func monitor(hub: String) -> NetlinkPathMonitor {
        monitor(hub: HubAddresses(host: hub))
    }

    func monitor(hub: HubAddresses) -> NetlinkPathMonitor {
        NetlinkPathMonitor(hub: hub, configuration: .init(), options: options)
    }
}

extension AsyncStream<PathStatus>.Iterator {
    /// The first matching status; the ones before it are intermediate.
    mutating func next(where fits: (PathStatus) -> Bool) async -> PathStatus? {
        while let status = await next() {
            if fits(status) { return status }
        }
        return nil
    }
}
