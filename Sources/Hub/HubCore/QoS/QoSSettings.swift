import OfflineCore

/// The thresholds of the QoS decisions (security.md, "Quorum of the QoS service"; offline-mode.md, section
/// 5).
public struct QoSSettings: Hashable, Sendable {
    /// What confirms a fault of many terminals: enough of them fail, of enough stores, and more than half of
    /// those that have a vote.
    public struct Quorum: Hashable, Sendable {
        let window: Duration
        /// Requests in the window below which nothing is decided; each terminal adds
        /// ``QoSSettings/countedRequests`` at most.
        let requests: Int
        /// Failing terminals, and the stores that they belong to.
        let terminals: Int
        let stores: Int

        /// What is needed against good probes of the hub: twice the terminals of twice the stores. With the
        /// single quorum two stores could contradict the hub; with four times, a fault that the hub cannot
        /// see itself would have to reach twelve terminals of eight stores.
        var doubled: Quorum {
            Quorum(window: window, requests: requests, terminals: terminals * 2, stores: stores * 2)
        }
    }

    /// 3 failing terminals of 2 stores, 20 requests in 30 s.
    public var global = Quorum(window: .seconds(30), requests: 20, terminals: 3, stores: 2)
    /// 2 failing terminals of the store, 10 requests in 60 s. A store with one terminal never has it.
    public var store = Quorum(window: .seconds(60), requests: 10, terminals: 2, stores: 1)
    /// 5 failures and no success in 30 s, for the scope of one terminal.
    public var terminalFailures = 5
    public var terminalWindow: Duration = .seconds(30)
    /// A terminal with fewer requests in the window has no vote. One request would make each lost packet a
    /// vote; with 6 a quiet shop would have none.
    public var voteRequests = 3
    /// Of one terminal no more requests count for a quorum's least number of them. With 5 the 20 requests
    /// would take four terminals, with 20 one would make them up.
    public var countedRequests = 10
    /// Failed probes in a row that confirm a fault for all, and good ones in a row that outweigh a bare
    /// quorum.
    public var probesInARow = 3
    /// A good probe counts against reports for so long; several times the interval of the probes.
    public var probeMemory: Duration = .seconds(30)
    /// How long the rule that confirmed a fault must not be met before terminals are readmitted.
    public var recovery: Duration = .seconds(15)
    /// Over how long they are readmitted, in cohorts.
    public var letBack: Duration = .seconds(30)
    /// How long at most terminals with full outboxes are readmitted one after another.
    public var longestLetBack: Duration = .seconds(3_600)
    /// A terminal that waits for its turn and sends nothing for so long leaves the queue.
    public var releaseMemory: Duration = .seconds(60)
    /// How many cohorts at most.
    public var cohorts = 6
    /// The service's capacity for all terminals together, in mutations a minute, until it was measured.
    public var capacityPerMinute: Int64 = 600_000
    /// A terminal that has not reported for so long is not counted any more.
    public var memory: Duration = .seconds(600)

    public init() {}

    /// How far the rule of a scope looks back.
    func window(of scope: ServiceDecision.Scope) -> Duration {
        switch scope {
        case .global: global.window
        case .store: store.window
        case .terminal: terminalWindow
        }
    }
}
