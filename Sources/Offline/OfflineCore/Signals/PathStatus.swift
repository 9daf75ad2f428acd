/// The medium of the path to the hub, as far as the kernel reports it.
public enum Transport: String, Hashable, Codable, Sendable {
    case ethernet
    case wifi
    case cellular
    case unknown
}

/// The kernel's view of the path to the hub: one for the terminal, not one per interface.
///
/// Usable means: an interface that is not loopback (unless the hub itself is on loopback), up with carrier,
/// operational state up or unknown, with a usable address and a route to the hub.
public struct PathStatus: Hashable, Codable, Sendable {
    /// Whether packets to the hub could leave at all.
    public let isUsable: Bool
    /// The interface that holds the route to the hub; nil when there is none.
    public let interface: String?
    /// The medium of ``interface``.
    public let transport: Transport
    /// Whether each byte may cost money. The interfaces of the
    /// configuration and cellular ones are metered.
    public let isMetered: Bool
    /// Whether data must be saved on this path (`network.constrained`).
    public let isConstrained: Bool
    /// The route itself: interface, source address and gateway. When it changes, the path gets a new path id,
    /// even while it stays usable.
    public let route: String

    /// `interface` is nil, and `route` is a fixed text, where no route leads to the hub.
    public init(
        isUsable: Bool, interface: String?, transport: Transport,
        isMetered: Bool, isConstrained: Bool, route: String
    ) {
        self.isUsable = isUsable
        self.interface = interface
        self.transport = transport
        self.isMetered = isMetered
        self.isConstrained = isConstrained
        self.route = route
    }
}
