/// Properties of the path that the kernel does not report and the store configures.
public struct PathConfiguration: Hashable, Sendable {
    /// Metered interfaces. Default none (`network.meteredInterfaces`).
    public let meteredInterfaces: Set<String>
    /// Whether every path counts as constrained. Default false (`network.constrained`).
    public let isConstrained: Bool
    /// Prefixes of the names of interfaces that belong to containers and virtual machines. They are no path
    /// to the hub unless the route to it uses them.
    public let ignoredPrefixes: [String]

    /// By default nothing is metered or constrained, and the interfaces of containers are ignored.
    public init(
        meteredInterfaces: Set<String> = [], isConstrained: Bool = false,
        ignoredPrefixes: [String] = PathConfiguration.containerPrefixes
    ) {
        self.meteredInterfaces = meteredInterfaces
        self.isConstrained = isConstrained
        self.ignoredPrefixes = ignoredPrefixes
    }

    /// The prefixes that the usual container engines use.
    public static let containerPrefixes = ["veth", "docker", "br-", "virbr", "cni"]

    func ignores(_ interface: String) -> Bool {
        ignoredPrefixes.contains { interface.hasPrefix($0) }
    }
}
