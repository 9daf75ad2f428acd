/// Who may look at the operators' pages, and under which names.
public struct OpsConfiguration: Hashable, Sendable {
    /// Key `ops.open`: `/` and `/metrics` without a login. Default false. Whoever reaches the port then reads
    /// them, also through a proxy on this machine.
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
