/// How a request finds its way out of this machine.
public enum PathBinding: Hashable, Sendable {
    /// As the kernel's routes lead.
    case routed
    /// Over one interface, whatever the routes prefer. The name `host` is taken to be at `address`: whoever
    /// resolves names may be reached by the other way alone.
    case pinned(interface: String, host: String, address: String)
}

/// A way to the hub that can be chosen.
public struct HubPath: Hashable, Sendable {
    /// As the kernel reports it, whether it is in use or not.
    public let status: PathStatus
    /// `routed` for the main path, `pinned` for one that stands by.
    public let binding: PathBinding

    /// By default the path that the kernel's routes prefer.
    public init(status: PathStatus, binding: PathBinding = .routed) {
        self.status = status
        self.binding = binding
    }
}

/// The ways to the hub that the kernel has.
public struct HubPaths: Hashable, Sendable {
    /// The one that its routes prefer, usable or not.
    public let main: HubPath
    /// The next best one, over another interface; nil where no usable one leads to a known address of the
    /// hub.
    public let standby: HubPath?

    /// By default nothing stands by.
    public init(main: HubPath, standby: HubPath? = nil) {
        self.main = main
        self.standby = standby
    }
}
