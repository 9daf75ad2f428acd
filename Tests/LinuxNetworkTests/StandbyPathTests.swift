import LinuxRuntime
import OfflineCore
import TestKit
import Testing

@testable import LinuxNetwork

@Suite("The path that stands by, derived")
struct StandbyPathTests {
    /// A till with Ethernet before a modem, and a bridge of containers before both of them in the list.
    private func till() throws -> KernelTables {
        KernelTables(
            links: [
                Link(index: 4, name: "docker0", isUp: true, hasCarrier: true),
                Link(index: 2, name: "eth0", isUp: true, hasCarrier: true),
                Link(index: 3, name: "wwan0", isUp: true, hasCarrier: true),
            ],
            addresses: [
                .init(link: 4, address: try address("172.17.0.1")),
                .init(link: 2, address: try address("192.168.1.20")),
                .init(link: 3, address: try address("198.51.100.7")),
            ],
            routes: [
                try route("192.168.1.0/24", link: 2),
                try route("0.0.0.0/0", link: 2, via: "192.168.1.1", metric: 100),
                try route("0.0.0.0/0", link: 3, metric: 700),
            ])
    }

    private func standby(
        _ tables: KernelTables, hub: [String] = ["203.0.113.9"], past main: String? = "eth0"
    ) throws -> (status: PathStatus, address: IPAddress)? {
        PathDerivation(configuration: .init(), transport: LinkHardware.transport(of:))
            .standby(of: tables, hub: try hub.map(address), past: main)
    }

    @Test("It is the next best route over another interface, and metered by its own rule")
    func nextBest() throws {
        let found = try #require(try standby(try till()))
        #expect(found.status.interface == "wwan0")
        #expect(found.status.route == "wwan0 198.51.100.7")
        #expect(found.status.isMetered)
        #expect(found.address == (try address("203.0.113.9")))
    }

    @Test("Of the hub's addresses it takes the first that its route leads to")
    func otherFamily() throws {
        let found = try standby(try till(), hub: ["2001:db8::9", "203.0.113.9"])
        #expect(found?.address == (try address("203.0.113.9")))
    }

    @Test("One uplink, an unknown address of the hub, or a hub on this machine has none")
    func none() throws {
        var tables = try till()
        #expect(try standby(tables, hub: []) == nil)
        #expect(try standby(tables, past: nil) == nil)
        #expect(try standby(tables, hub: ["127.0.0.1"], past: "lo") == nil)
        tables.routes.removeLast()
        #expect(try standby(tables) == nil)
    }

    @Test("A link without carrier or address, a refusing route and a container's bridge are none")
    func unusable() throws {
        var tables = try till()
        tables.links[2] = Link(index: 3, name: "wwan0", isUp: true, hasCarrier: false)
        #expect(try standby(tables) == nil)
        tables = try till()
        tables.addresses.removeLast()
        #expect(try standby(tables) == nil)
        tables = try till()
        tables.routes[2] = try route("0.0.0.0/0", link: 4, via: "172.17.0.2", metric: 700)
        #expect(try standby(tables) == nil)
        tables.routes[2] = try route("0.0.0.0/0", kind: .refusing, link: 3)
        #expect(try standby(tables) == nil)
    }

    @Test("Of a route with several hops the others stand by")
    func multipath() throws {
        var tables = try till()
        tables.routes = [
            KernelRoute(
                destination: try address("0.0.0.0"), length: 0, hops: [.init(link: 2), .init(link: 3)])
        ]
        #expect(try standby(tables)?.status.interface == "wwan0")
    }
}

@Suite(
    "The path that stands by, of a kernel", .serialized, .timeLimit(.minutes(2)),
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct KernelStandbyTests {
    @Test("Both paths are reported, and the standby ends with its route")
    func paths() async throws {
        let shop = try TwoUplinks(withRoutes: true)
        var paths = shop.monitor.paths().makeAsyncIterator()
        let first = try #require(await paths.next())
        #expect(first.main.status.interface == "till0")
        #expect(first.main.binding == .routed)
        #expect(first.standby?.status.interface == "till1")
        #expect(
            first.standby?.binding
                == .pinned(interface: "till1", host: TwoUplinks.hub, address: TwoUplinks.hub))
        try shop.till.ip("route", "delete", "default", "via", "10.78.0.1")
        #expect(await paths.next()?.standby == nil)
    }

    @Test("A pinned ping leaves by its interface although the route prefers a dark one")
    func ping() async throws {
        let shop = try TwoUplinks(withRoutes: true)
        for end in [shop.first, shop.second] {
            try end.ip("address", "add", "\(TwoUplinks.hub)/32", "dev", "lo")
        }
        // A strict filter drops what comes back by the interface of a lesser route.
        try shop.till.run(["sysctl", "-q", "-w", "net.ipv4.conf.all.rp_filter=2"])
        try shop.first.setBlackhole("10.77.0.2/32", true)
        let thread = try EventLoopThread(named: "ping-test")
        let pinger = ICMPPinger(
            hub: HubAddresses(host: TwoUplinks.hub), loop: thread.loop, prelude: { shop.till.enter() })
        #expect(await pinger.ping(timeout: .milliseconds(300)) == .timedOut)
        let pin = PathBinding.pinned(interface: "till1", host: TwoUplinks.hub, address: TwoUplinks.hub)
        pinger.use(pin)
        guard case .responded = await pinger.ping(timeout: .seconds(5)) else {
            Issue.record("no response over till1")
            return
        }
        pinger.use(.pinned(interface: "gone0", host: TwoUplinks.hub, address: TwoUplinks.hub))
        #expect(await pinger.ping(timeout: .milliseconds(300)) == .timedOut)
        pinger.use(.routed)
        #expect(await pinger.ping(timeout: .milliseconds(300)) == .timedOut)
    }
}
