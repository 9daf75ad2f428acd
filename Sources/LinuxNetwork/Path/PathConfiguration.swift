/// What the kernel cannot tell of the path and the store has to.
public struct PathConfiguration: Hashable, Sendable {
    /// Interfaces that cost by volume. Default none (`network.meteredInterfaces`).
    public let meteredInterfaces: Set<String>
    /// Whether data is to be saved on every path. Default false (`network.constrained`).
    public let isConstrained: Bool
    /// Beginnings of the names of interfaces that belong to containers and virtual machines. They are no
    /// way to the hub unless they hold the route to it.
    public let ignoredPrefixes: [String]

    public init(
        meteredInterfaces: Set<String> = [], isConstrained: Bool = false,
        ignoredPrefixes: [String] = PathConfiguration.containerPrefixes
    ) {
        self.meteredInterfaces = meteredInterfaces
        self.isConstrained = isConstrained
        self.ignoredPrefixes = ignoredPrefixes
    }

    /// What the usual container engines call their interfaces.
    public static let containerPrefixes = ["veth", "docker", "br-", "virbr", "cni"]

    func ignores(_ interface: String) -> Bool {
        ignoredPrefixes.contains { interface.hasPrefix($0) }
    }
}
