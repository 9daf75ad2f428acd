/// Properties of the path that the kernel does not report and the store configures.
package struct PathConfiguration: Hashable, Sendable {
    /// Metered interfaces. Default none (`network.meteredInterfaces`).
    package let meteredInterfaces: Set<String>
    /// Whether every path counts as constrained. Default false (`network.constrained`).
    package let isConstrained: Bool
    /// Prefixes of the names of interfaces that belong to containers and virtual machines. They are no path
    /// to the hub unless the route to it uses them.
    package let ignoredPrefixes: [String]

    /// By default nothing is metered or constrained, and the interfaces of containers are ignored.
    package init(
        meteredInterfaces: Set<String> = [], isConstrained: Bool = false,
        ignoredPrefixes: [String] = PathConfiguration.containerPrefixes
    ) {
        self.meteredInterfaces = meteredInterfaces
        self.isConstrained = isConstrained
        self.ignoredPrefixes = ignoredPrefixes
    }

    /// The prefixes that the usual container engines use.
    package static let containerPrefixes = ["veth", "docker", "br-", "virbr", "cni"]

    /// Whether `interface` belongs to a container or a virtual machine.
    package func ignores(_ interface: String) -> Bool {
        ignoredPrefixes.contains { interface.hasPrefix($0) }
    }
}
