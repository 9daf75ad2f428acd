/// How the QoS role probes and paces.
package struct QoSConfiguration: Hashable, Sendable {
    /// Key `qos.pollSeconds`: how often terminals poll, 1 to 300 s; a third of it while something is wrong.
    /// Default 24: with a fifth of slack at the terminal (28.8 s) a decision reaches it within 30 s.
    package var poll: Duration
    /// Key `qos.probeSeconds`: how often a service is probed, 1 to 300 s. Default 5.
    package var probe: Duration
    /// Key `qos.recoverySeconds`: how long all must be good before terminals are readmitted, 1 to 600 s.
    /// Default 15.
    package var recovery: Duration
    /// Key `qos.capacityPerMinute`: mutations a minute that the order service bears from all terminals
    /// together, from 60 to 10,000,000. Default 600,000.
    package var capacityPerMinute: Int64
    /// Key `qos.probes`: URLs by service, probed with GET; 200 is good. Default: the order store of this
    /// process, when it has the sync role.
    package var probes: [String: String]

    /// The defaults, without probes.
    package init() {
        poll = .seconds(24)
        probe = .seconds(5)
        recovery = .seconds(15)
        capacityPerMinute = 600_000
        probes = [:]
    }
}
