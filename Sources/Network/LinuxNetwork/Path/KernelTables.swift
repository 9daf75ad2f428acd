/// The content of one dump of the kernel's links, addresses and routes.
///
/// The monitor never updates tables by single messages. The kernel announces neither the IPv4 routes that are
/// removed with a link nor every replaced one, so an updated copy becomes wrong and a new dump does not.
package struct KernelTables: Hashable, Sendable {
    /// Every interface, the loopback and those of containers included.
    package var links: [Link]
    /// The addresses of all interfaces and both families.
    package var addresses: [InterfaceAddress]
    /// Routes of the local, main and default tables of both families, in the kernel's order.
    package var routes: [KernelRoute]

    /// Empty tables by default.
    package init(links: [Link] = [], addresses: [InterfaceAddress] = [], routes: [KernelRoute] = []) {
        self.links = links
        self.addresses = addresses
        self.routes = routes
    }

    func link(_ index: Int32) -> Link? {
        links.first { $0.index == index }
    }

    /// The source address of packets to `target` over `hop`; nil when there is none.
    func source(for target: IPAddress, over route: KernelRoute, by hop: KernelRoute.Hop) -> IPAddress? {
        if let preferred = route.source {
            return addresses.contains { $0.address == preferred && $0.isReady } ? preferred : nil
        }
        return
            addresses
            .filter { candidate in
                candidate.link == hop.link && candidate.isReady && !candidate.address.isLoopback
                    && candidate.address.family == target.family
                    && (!candidate.address.isLinkLocal || target.isLinkLocal)
            }
            .min { left, right in
                left.isSecondChoice == right.isSecondChoice
                    ? left.address < right.address : !left.isSecondChoice
            }?.address
    }
}
