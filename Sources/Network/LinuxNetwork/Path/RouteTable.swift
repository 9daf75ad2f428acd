/// Chooses routes as the kernel does: table by table, the longest prefix, then the lowest metric.
///
/// Policy rules are ignored; where they route the traffic elsewhere, the probes decide.
package struct RouteTable: Sendable {
    /// The result of a look-up.
    package enum Way: Hashable, Sendable {
        /// The destination is this machine.
        case here
        case route(KernelRoute)
    }

    private let routes: [KernelRoute]

    /// Unicast routes of which every hop is dead are left out.
    package init(_ routes: [KernelRoute]) {
        self.routes = routes.filter { $0.kind != .unicast || !$0.hops.allSatisfy(\.isDead) }
    }

    /// The route to `address`; nil when there is none or a route refuses it.
    package func way(to address: IPAddress) -> Way? {
        for table in [KernelRoute.Table.local, .main, .fallback] {
            guard let route = best(in: table, for: address) else { continue }
            switch route.kind {
            case .local: return .here
            case .unicast: return .route(route)
            case .refusing: return nil
            case .passing: continue
            }
        }
        return nil
    }

    /// The usable default routes of both families, the preferred ones first.
    package var defaultRoutes: [KernelRoute] {
        routes.filter { $0.length == 0 && $0.kind == .unicast && $0.table != .local }
            .sorted { ($0.table, $0.metric) < ($1.table, $1.metric) }
    }

    private func best(in table: KernelRoute.Table, for address: IPAddress) -> KernelRoute? {
        var best: KernelRoute?
        for route in routes where route.table == table {
            guard address.matches(route.destination, length: route.length) else { continue }
            guard let present = best else {
                best = route
                continue
            }
            // Of equal ones the first stays: the kernel lists them in its order of preference.
            if (route.length, present.metric) > (present.length, route.metric) { best = route }
        }
        return best
    }
}
