package import Base
package import OfflineCore

/// The inputs of a simulation run. The same plan gives the same run.
package struct TillPlan: Sendable {
    /// What the machine runs with.
    package var settings: OfflineSettings
    /// What the run before left on disk. Default: nothing.
    package var startup: StartupState
    /// The simulated time at which the till starts, zero by default.
    package var start: Instant
    /// The links of the probes and the pushes.
    package var ways: Ways
    /// When customers buy.
    package var sales: SalePace
    /// How long a sale waits for its push.
    package var budget: Duration
    /// Events that do not depend on the machine, in order of time: path changes, suspensions, a retry.
    package var script: [RecordedEvent]
    /// The seed of jitter, losses and the machine; the same one gives the same run.
    package var seed: UInt64

    /// A till that starts at zero on Ethernet, without sales.
    package init(
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
        script = [RecordedEvent(at: start, event: .pathChanged(path))]
        self.seed = seed
    }

    /// The machine at the start of the run.
    package var machine: OfflineMachine {
        OfflineMachine(settings: settings, apis: .standard, startup: startup, seed: seed, at: start)
    }
}

/// An event and its moment.
package struct RecordedEvent: Sendable {
    /// The simulated time at which the event arrives.
    package let at: Instant
    /// The signal that the machine gets.
    package let event: OfflineEvent

    /// Makes an event of a script; scripts are in order of time.
    package init(at: Instant, event: OfflineEvent) {
        self.at = at
        self.event = event
    }
}
