/// An entry of the kernel's routing tables (RTM_NEWROUTE).
package struct KernelRoute: Hashable, Sendable {
    /// The tables that are used without policy rules, in the kernel's order.
    package enum Table: UInt8, Hashable, Sendable, Comparable {
        /// Addresses of this machine.
        case local
        case main
        case fallback

        /// In the order of look-up: local, main, fallback.
        package static func < (left: Table, right: Table) -> Bool { left.rawValue < right.rawValue }
    }

    /// What the kernel does with a packet that matches the route.
    package enum Kind: Hashable, Sendable {
        case unicast
        /// An address of this machine.
        case local
        /// `blackhole`, `unreachable` or `prohibit`: a route that drops or refuses packets.
        case refusing
        /// `throw`: search the next table.
        case passing
    }

    /// One way of a route; several share the load.
    package struct Hop: Hashable, Sendable {
        /// The index of the interface, as in ``Link/index``.
        package let link: Int32
        /// Nil when the destination is on the link.
        package let gateway: IPAddress?
        /// The kernel has marked the hop as dead (RTNH_F_DEAD).
        package let isDead: Bool

        /// By default the destination is on the link and the hop is alive.
        package init(link: Int32, gateway: IPAddress? = nil, isDead: Bool = false) {
            self.link = link
            self.gateway = gateway
            self.isDead = isDead
        }
    }

    /// Which table contains the route; it decides before length and metric.
    package let table: Table
    /// Only a `unicast` route leads to another machine.
    package let kind: Kind
    /// All zeros for the default route.
    package let destination: IPAddress
    /// Bits of ``destination`` that count; 0 for the default route.
    package let length: Int
    /// The lowest one has priority among routes of the same length.
    package let metric: UInt32
    /// The source address that the route prefers.
    package let source: IPAddress?
    /// In the kernel's order; empty where it names no interface, as for an IPv4 `blackhole`.
    package let hops: [Hop]

    /// By default a unicast route of the main table with metric 0 and no preferred source.
    package init(
        table: Table = .main, kind: Kind = .unicast, destination: IPAddress, length: Int,
        metric: UInt32 = 0, source: IPAddress? = nil, hops: [Hop]
    ) {
        self.table = table
        self.kind = kind
        self.destination = destination
        self.length = length
        self.metric = metric
        self.source = source
        self.hops = hops
    }

    /// The route without its hops over the interface `link`; nil where no other is left.
    func without(link: Int32) -> KernelRoute? {
        let others = hops.filter { $0.link != link }
        guard others.count < hops.count else { return self }
        guard !others.isEmpty else { return nil }
        return KernelRoute(
            table: table, kind: kind, destination: destination, length: length, metric: metric,
            source: source, hops: others)
    }
}
