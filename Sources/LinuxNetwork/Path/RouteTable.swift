/// Chooses routes as the kernel does: table by table, the longest prefix, then the lowest metric.
///
/// Policy rules are not followed; a terminal whose traffic they steer tells by its probes.
public struct RouteTable: Sendable {
    /// What a look-up leads to.
    public enum Way: Hashable, Sendable {
        /// The destination is this machine.
        case here
        case route(KernelRoute)
    }

    private let routes: [KernelRoute]

    public init(_ routes: [KernelRoute]) {
        self.routes = routes.filter { $0.kind != .unicast || !$0.hops.allSatisfy(\.isDead) }
    }

    /// The way to `address`; nil when there is none or a route refuses it.
    public func way(to address: IPAddress) -> Way? {
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

    /// The default routes of both families that lead somewhere, the preferred ones first.
    public var defaultRoutes: [KernelRoute] {
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
            // Of equals the first stays: the kernel lists them in the order in which it prefers them.
            if (route.length, present.metric) > (present.length, route.metric) { best = route }
        }
        return best
    }
}
