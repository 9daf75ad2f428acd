import LinuxNetwork
import OfflineCore
import Testing

@Suite("Path derivation")
struct PathDerivationTests {
    @Test("an up link with an address and a route to the hub is usable")
    func usable() throws {
        let status = derive(try shop(), hub: [try address("203.0.113.9")])
        #expect(status.isUsable)
        #expect(status.interface == "eth0")
        #expect(status.route == "eth0 192.168.1.20 via 192.168.1.1")
        #expect(status.transport == .ethernet)
    }

    @Test(
        "each thing missing on its own makes the path unusable",
        arguments: [
            Link(index: 2, name: "eth0", isUp: false, hasCarrier: true),
            Link(index: 2, name: "eth0", isUp: true, hasCarrier: false),
            Link(index: 2, name: "eth0", isUp: true, hasCarrier: true, isOperational: false),
        ])
    func brokenLink(link: Link) throws {
        var tables = try shop()
        tables.links = [link]
        #expect(!derive(tables, hub: [try address("203.0.113.9")]).isUsable)
    }

    @Test("no address, one that is not confirmed, or a link-local one is not enough")
    func addresses() throws {
        var tables = try shop()
        let hub = [try address("203.0.113.9")]
        tables.addresses = []
        #expect(!derive(tables, hub: hub).isUsable)
        tables.addresses = [.init(link: 2, address: try address("192.168.1.20"), isReady: false)]
        #expect(!derive(tables, hub: hub).isUsable)
        tables.addresses = [.init(link: 2, address: try address("169.254.7.7"))]
        #expect(!derive(tables, hub: hub).isUsable)
    }

    @Test("no route to the hub is no path, although the other family has a default route")
    func otherFamily() throws {
        let status = derive(try shop(), hub: [try address("2001:db8::9")])
        #expect(!status.isUsable)
        #expect(status.interface == nil)
    }

    @Test("of several hub addresses the first usable one counts")
    func severalAddresses() throws {
        let status = derive(try shop(), hub: [try address("2001:db8::9"), try address("203.0.113.9")])
        #expect(status.isUsable)
    }

    @Test("a hub on loopback or at an own address is usable without any interface")
    func loopback() throws {
        #expect(derive(KernelTables(), hub: [try address("127.0.0.1")]).isUsable)
        #expect(derive(KernelTables(), hub: [try address("::1")]).isUsable)
        var tables = try shop()
        tables.links = []
        tables.routes.append(try route("192.168.1.20/32", table: .local, kind: .local, link: 2))
        #expect(derive(tables, hub: [try address("192.168.1.20")]).isUsable)
    }

    @Test("while the name is unknown the default route is used, containers last")
    func unknownName() throws {
        var tables = try shop()
        tables.links.append(Link(index: 3, name: "docker0", isUp: true, hasCarrier: true))
        tables.addresses.append(.init(link: 3, address: try address("172.17.0.1")))
        tables.routes.append(try route("0.0.0.0/0", link: 3, metric: 0))
        #expect(derive(tables, hub: []).interface == "eth0")
        tables.links.removeFirst()
        #expect(derive(tables, hub: []).interface == "docker0")
    }

    @Test("an ignored interface that holds the route to the hub is the path")
    func ignoredInterfaceWithHub() throws {
        var tables = try shop()
        tables.links = [Link(index: 2, name: "veth7", isUp: true, hasCarrier: true)]
        let status = derive(tables, hub: [try address("203.0.113.9")])
        #expect(status.isUsable)
        #expect(status.interface == "veth7")
    }

    @Test("temporary IPv6 addresses change without changing the route")
    func temporaryAddresses() throws {
        let hub = [try address("2001:db8:9::1")]
        var tables = KernelTables(
            links: [Link(index: 2, name: "eth0", isUp: true, hasCarrier: true)],
            addresses: [.init(link: 2, address: try address("2001:db8::20"))],
            routes: [try route("::/0", link: 2, via: "fe80::1")])
        let before = derive(tables, hub: hub).route
        tables.addresses.append(.init(link: 2, address: try address("2001:db8::1"), isSecondChoice: true))
        #expect(derive(tables, hub: hub).route == before)
        #expect(before == "eth0 2001:db8::20 via fe80::1")
    }

    @Test("of several hops one that carries is taken")
    func multipath() throws {
        var tables = try shop()
        tables.links.append(Link(index: 3, name: "eth1", isUp: true, hasCarrier: true))
        tables.links[0] = Link(index: 2, name: "eth0", isUp: true, hasCarrier: false)
        tables.addresses.append(.init(link: 3, address: try address("10.0.0.2")))
        tables.routes = [
            KernelRoute(
                destination: try address("0.0.0.0"), length: 0, hops: [.init(link: 2), .init(link: 3)])
        ]
        #expect(derive(tables, hub: [try address("203.0.113.9")]).interface == "eth1")
    }

    @Test("metered and constrained come from the configuration")
    func configured() throws {
        let configuration = PathConfiguration(meteredInterfaces: ["eth0"], isConstrained: true)
        let status = PathDerivation(configuration: configuration, transport: { _ in .ethernet })
            .status(of: try shop(), hub: [try address("203.0.113.9")])
        #expect(status.isMetered)
        #expect(status.isConstrained)
    }

    @Test("a cellular path is metered")
    func cellular() throws {
        let status = PathDerivation(configuration: .init(), transport: { _ in .cellular })
            .status(of: try shop(), hub: [try address("203.0.113.9")])
        #expect(status.isMetered)
        #expect(status.transport == .cellular)
    }

    private func derive(_ tables: KernelTables, hub: [IPAddress]) -> PathStatus {
        PathDerivation(configuration: .init(), transport: { _ in .ethernet }).status(of: tables, hub: hub)
    }

    /// A till behind a router.
    private func shop() throws -> KernelTables {
        KernelTables(
            links: [Link(index: 2, name: "eth0", isUp: true, hasCarrier: true)],
            addresses: [.init(link: 2, address: try address("192.168.1.20"))],
            routes: [
                try route("192.168.1.0/24", link: 2),
                try route("0.0.0.0/0", link: 2, via: "192.168.1.1", metric: 100),
            ])
    }
}
