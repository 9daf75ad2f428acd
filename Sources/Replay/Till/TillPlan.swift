public import OfflineCore

/// Everything that a simulated life begins with. The same plan makes the same life.
public struct TillPlan: Sendable {
    public var settings: OfflineSettings
    public var startup: StartupState
    public var start: Instant
    public var ways: Ways
    public var sales: SalePace
    /// How long a sale waits for its push.
    public var budget: Duration
    /// What is told whatever the machine asks, in order of time: paths, slept time, a person's retry.
    public var script: [TapedEvent]
    public var seed: UInt64

    /// A till that starts at zero on a cable, nobody selling.
    public init(
        link: SimulatedLink, settings: OfflineSettings = OfflineSettings(), sales: SalePace = .none,
        seed: UInt64
    ) {
        self.settings = settings
        startup = StartupState()
        start = Instant(nanoseconds: 0)
        ways = Ways(link)
        self.sales = sales
        budget = .milliseconds(1_500)
        let path = PathStatus(
            isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
            route: "eth0")
        script = [TapedEvent(at: start, event: .pathChanged(path))]
        self.seed = seed
    }

    /// The machine that the life starts from.
    public var machine: OfflineMachine {
        OfflineMachine(settings: settings, apis: .standard, startup: startup, seed: seed, at: start)
    }
}
