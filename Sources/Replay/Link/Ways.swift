/// The links of the till's probes: one link for all of them, or one each where they were recorded separately.
public struct Ways: Sendable {
    /// For echoes.
    public var echo: SimulatedLink
    /// For probes of the hub and business calls.
    public var hub: SimulatedLink
    /// For probes of the independent address.
    public var internet: SimulatedLink

    public init(echo: SimulatedLink, hub: SimulatedLink, internet: SimulatedLink) {
        self.echo = echo
        self.hub = hub
        self.internet = internet
    }

    public init(_ link: SimulatedLink) {
        self.init(echo: link, hub: link, internet: link)
    }
}
