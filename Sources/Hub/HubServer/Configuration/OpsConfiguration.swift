/// The access to the operators' pages, and the names that they are served under.
public struct OpsConfiguration: Hashable, Sendable {
    /// Key `ops.open`: `/` and `/metrics` without a login. Default false. With it, any sender that reaches
    /// the port reads them, also through a proxy on this machine.
    public var isOpen: Bool
    /// Key `ops.hosts`: names of this hub, without ports, that operators and collectors use besides loopback
    /// names. Default: none.
    public var hosts: [String]

    public init() {
        isOpen = false
        hosts = []
    }

    var hostCheck: HostCheck { HostCheck(names: hosts) }
}
