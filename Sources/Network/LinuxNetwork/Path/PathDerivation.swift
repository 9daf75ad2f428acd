package import OfflineCore

/// Derives the path's status from the kernel's tables; a function of its input alone.
///
/// The route to the hub is looked up for each of its addresses and the first usable one counts. While the
/// hub's name is not resolved, the default route is used instead, and interfaces of containers come last.
package struct PathDerivation: Sendable {
    private let configuration: PathConfiguration
    private let transport: @Sendable (Link) -> Transport

    /// - Parameter transport: what kind of network a link is on; see ``LinkHardware``. A cellular one counts
    ///   as metered, as the interfaces of the configuration do.
    package init(
        configuration: PathConfiguration, transport: @escaping @Sendable (Link) -> Transport
    ) {
        self.configuration = configuration
        self.transport = transport
    }

    /// - Parameter hub: the addresses of the hub's name, empty when they are not known.
    package func status(of tables: KernelTables, hub: [IPAddress]) -> PathStatus {
        let table = RouteTable(tables.routes)
        let ways =
            hub.isEmpty
            ? defaultWays(table, tables)
            : hub.compactMap { way(to: $0, table, tables) }
        return ways.first(where: \.isUsable) ?? ways.first ?? noPath
    }

    /// The best usable way to the hub past the interface `main`, with the address of the hub that it leads
    /// to; nil where there is none, while the hub's addresses are not known, or when the hub is on this
    /// machine.
    ///
    /// - Parameter main: the interface of the path that the kernel's routes prefer.
    package func standby(
        of tables: KernelTables, hub: [IPAddress], past main: String?
    ) -> (status: PathStatus, address: IPAddress)? {
        guard let main, let link = tables.links.first(where: { $0.name == main }), !link.isLoopback else {
            return nil
        }
        let table = RouteTable(tables.routes.compactMap { $0.without(link: link.index) })
        for address in hub {
            guard let status = way(to: address, table, tables), let interface = status.interface,
                status.isUsable, interface != "lo", !configuration.ignores(interface)
            else { continue }
            return (status, address)
        }
        return nil
    }

    private var noPath: PathStatus {
        PathStatus(
            isUsable: false, interface: nil, transport: .unknown, isMetered: false,
            isConstrained: configuration.isConstrained, route: "none")
    }

    private func way(to hub: IPAddress, _ table: RouteTable, _ tables: KernelTables) -> PathStatus? {
        if hub.isLoopback { return thisMachine }
        switch table.way(to: hub) {
        case nil: return nil
        case .here: return thisMachine
        case .route(let route): return status(over: route, to: hub, tables)
        }
    }

    /// The hub runs on this machine.
    private var thisMachine: PathStatus {
        PathStatus(
            isUsable: true, interface: "lo", transport: .unknown, isMetered: false,
            isConstrained: configuration.isConstrained, route: "lo")
    }

    private func defaultWays(_ table: RouteTable, _ tables: KernelTables) -> [PathStatus] {
        let statuses = table.defaultRoutes.compactMap { status(over: $0, to: $0.destination, tables) }
        let ignored = statuses.filter { $0.interface.map(configuration.ignores) ?? false }
        return statuses.filter { !($0.interface.map(configuration.ignores) ?? false) } + ignored
    }

    private func status(
        over route: KernelRoute, to target: IPAddress, _ tables: KernelTables
    ) -> PathStatus? {
        let hops = route.hops.filter { !$0.isDead }
        let carrying = hops.first { tables.link($0.link)?.carries ?? false }
        guard let hop = carrying ?? hops.first, let link = tables.link(hop.link) else { return nil }
        let source = tables.source(for: target, over: route, by: hop)
        let via = hop.gateway.map { " via \($0)" } ?? ""
        let transport = transport(link)
        return PathStatus(
            isUsable: link.carries && !link.isLoopback && source != nil,
            interface: link.name, transport: transport,
            isMetered: configuration.meteredInterfaces.contains(link.name)
                || transport == .cellular,
            isConstrained: configuration.isConstrained,
            route: "\(link.name) \(source?.description ?? "none")\(via)")
    }
}
