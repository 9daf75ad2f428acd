import LinuxNetwork
import Testing

@Suite("Route table")
struct RouteTableTests {
    @Test("the longest prefix wins, whatever the metric")
    func longestPrefixWins() throws {
        let table = RouteTable([
            try route("0.0.0.0/0", link: 1, metric: 0), try route("10.0.0.0/8", link: 2, metric: 500),
            try route("10.1.0.0/16", link: 3, metric: 900),
        ])
        #expect(link(table.way(to: try address("10.1.2.3"))) == 3)
        #expect(link(table.way(to: try address("10.2.2.3"))) == 2)
        #expect(link(table.way(to: try address("192.0.2.1"))) == 1)
    }

    @Test("among equal prefixes the lowest metric wins, then the first")
    func lowestMetricWins() throws {
        let table = RouteTable([
            try route("0.0.0.0/0", link: 1, metric: 600), try route("0.0.0.0/0", link: 2, metric: 100),
            try route("0.0.0.0/0", link: 3, metric: 100),
        ])
        #expect(link(table.way(to: try address("192.0.2.1"))) == 2)
    }

    @Test("a refusing route is no path, and hides the default route behind it")
    func refusingRoute() throws {
        let table = RouteTable([
            try route("0.0.0.0/0", link: 1), try route("10.0.0.0/8", kind: .refusing, link: nil),
        ])
        #expect(table.way(to: try address("10.0.0.1")) == nil)
        #expect(link(table.way(to: try address("11.0.0.1"))) == 1)
    }

    @Test("an address of this machine is local")
    func localAddress() throws {
        let table = RouteTable([
            try route("10.0.0.0/8", link: 1), try route("10.0.0.5/32", table: .local, kind: .local, link: 1),
        ])
        #expect(table.way(to: try address("10.0.0.5")) == .here)
    }

    @Test("a route with only dead hops is skipped")
    func deadHops() throws {
        let dead = KernelRoute(
            destination: try address("10.0.0.0"), length: 8, hops: [.init(link: 2, isDead: true)])
        let table = RouteTable([dead, try route("0.0.0.0/0", link: 1)])
        #expect(link(table.way(to: try address("10.0.0.1"))) == 1)
    }

    @Test("a throw route continues in the next table")
    func passingRoute() throws {
        let table = RouteTable([
            try route("10.0.0.0/8", kind: .passing, link: nil), try route("0.0.0.0/0", link: 1),
            try route("0.0.0.0/0", table: .fallback, link: 7),
        ])
        #expect(link(table.way(to: try address("10.0.0.1"))) == 7)
    }

    @Test("families do not mix")
    func families() throws {
        let table = RouteTable([try route("0.0.0.0/0", link: 1)])
        #expect(table.way(to: try address("2001:db8::1")) == nil)
    }

    private func link(_ way: RouteTable.Way?) -> Int32? {
        guard case .route(let route) = way else { return nil }
        return route.hops.first?.link
    }
}
