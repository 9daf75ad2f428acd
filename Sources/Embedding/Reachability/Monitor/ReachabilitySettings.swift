import OfflineCore

/// The numbers of a monitor. A number out of range is refused when a monitor is made, never clamped.
public struct ReachabilitySettings: Hashable, Sendable {
    /// How long an unbroken run of failures lasts before the target counts as unreachable. Default 8 s,
    /// allowed 1 s to 300 s. Shorter finds outages sooner and flaps more.
    public var debounce: Duration = .seconds(8)
    /// The same while no interface has a route. Default 5 s, allowed 1 s to 300 s.
    public var pathDebounce: Duration = .seconds(5)
    /// How long responses must continue after an outage. Default 10 s, allowed 1 s to 300 s. The first
    /// response after a start counts at once.
    public var recoveryHold: Duration = .seconds(10)
    /// Time between ICMP echoes while idle. Default 15 s, allowed 1 s to 1 h. Where echoes get no response or
    /// are not permitted, probes are sent at this interval instead.
    public var pingInterval: Duration = .seconds(15)
    /// Time between probes while idle. Default 60 s, allowed 1 s to 1 h.
    public var probeInterval: Duration = .seconds(60)
    /// How long a probe may take. Default 3 s, allowed 100 ms to 60 s.
    public var probeTimeout: Duration = .seconds(3)
    /// Addresses that are probed when a host is silent, to find out whether the host or the network is down.
    /// Default none: such a host is ``ReachabilityStatus/State/unreachable``. Not used by a monitor of the
    /// internet.
    public var independentProbes: [ReachabilityProbe] = []
    /// Certificates to trust instead of the system's, a PEM file. Default nil.
    public var caFile: String?
    /// Names of metered interfaces. Default none.
    public var meteredInterfaces: Set<String> = []
    /// Whether every path counts as constrained, so that data is saved. Default false.
    public var isConstrained = false

    /// Every setting with its default. Change the properties before the settings are passed to a monitor.
    public init() {}

    func check() throws(ReachabilityError) {
        try Self.check("debounce", debounce, .seconds(1), .seconds(300))
        try Self.check("pathDebounce", pathDebounce, .seconds(1), .seconds(300))
        try Self.check("recoveryHold", recoveryHold, .seconds(1), .seconds(300))
        try Self.check("pingInterval", pingInterval, .seconds(1), .seconds(3_600))
        try Self.check("probeInterval", probeInterval, .seconds(1), .seconds(3_600))
        try Self.check("probeTimeout", probeTimeout, .milliseconds(100), .seconds(60))
    }

    private static func check(
        _ name: String, _ value: Duration, _ least: Duration, _ most: Duration
    ) throws(ReachabilityError) {
        guard value < least || value > most else { return }
        throw .outOfRange(setting: name, allowed: "\(least) to \(most)")
    }

    /// The settings of the machine.
    func machineSettings(probesInternet: Bool) -> OfflineSettings {
        OfflineSettings(
            network: NetworkSettings(
                debounce: debounce, pathDebounce: pathDebounce, pingInterval: pingInterval,
                probeInterval: probeInterval, probeTimeout: probeTimeout,
                // A target's other addresses are probed after half of a probe's time, so none runs longer.
                requestTimeout: probeTimeout, recoveryHold: recoveryHold,
                recoveryHoldCap: max(recoveryHold, .seconds(60)), probesInternet: probesInternet))
    }
}
