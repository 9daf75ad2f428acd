/// What one dump of the kernel's links, addresses and routes held.
///
/// The monitor never patches tables by single messages: the kernel announces neither the IPv4 routes that
/// go with a link nor every replaced one, so a patched copy drifts away from the truth and a fresh dump
/// cannot.
public struct KernelTables: Hashable, Sendable {
    public var links: [Link]
    public var addresses: [InterfaceAddress]
    public var routes: [KernelRoute]

    public init(links: [Link] = [], addresses: [InterfaceAddress] = [], routes: [KernelRoute] = []) {
        self.links = links
        self.addresses = addresses
        self.routes = routes
    }

    func link(_ index: Int32) -> Link? {
        links.first { $0.index == index }
    }

    /// The address that packets to `target` leave `hop` with; nil when there is none.
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
