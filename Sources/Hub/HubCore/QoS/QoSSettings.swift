import OfflineCore

/// The thresholds of the QoS decisions (security.md, "Quorum of the QoS service"; offline-mode.md, section
/// 5).
package struct QoSSettings: Hashable, Sendable {
    /// What confirms a fault of many terminals: enough of them fail, of enough stores, and more than half of
    /// those that have a vote.
    package struct Quorum: Hashable, Sendable {
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

    /// 3 failing terminals of 2 stores, 20 requests in 30 s (offline-mode.md section 5). With half as many
    /// requests a few lost packets in a quiet night decide for all; with twice as many a chain of ten tills
    /// notices a fault in its second half minute.
    package var global = Quorum(window: .seconds(30), requests: 20, terminals: 3, stores: 2)
    /// 2 failing terminals of the store, 10 requests in 60 s (offline-mode.md section 5). A store with one
    /// terminal never has it. With half of the window a quiet store never reaches ten requests.
    package var store = Quorum(window: .seconds(60), requests: 10, terminals: 2, stores: 1)
    /// 5 failures and no success in 30 s, for the scope of one terminal (offline-mode.md section 5). With 3
    /// one retried request is enough; with 10 a till sells against a dead service for a minute.
    package var terminalFailures = 5
    /// How far back the rule for one terminal looks. With half of it a quiet till hardly comes to 5 failures;
    /// with twice as much a fault that is over counts for a minute.
    package var terminalWindow: Duration = .seconds(30)
    /// A terminal with fewer requests in the window has no vote. One request would make each lost packet a
    /// vote; with 6 a quiet shop would have none.
    package var voteRequests = 3
    /// Of one terminal no more requests count for a quorum's least number of them. With 5 the 20 requests
    /// would take four terminals, with 20 one would make them up.
    package var countedRequests = 10
    /// Failed probes in a row that confirm a fault for all, and good ones in a row that outweigh a bare
    /// quorum (offline-mode.md section 5). One lost probe says nothing; with 6 a fault takes twice as long.
    package var probesInARow = 3
    /// A good probe counts against reports for so long; several times the interval of the probes. With half
    /// of it one late probe gives the decision to the reports alone; with twice as much a dead prober
    /// contradicts them for a minute.
    package var probeMemory: Duration = .seconds(30)
    /// How long the rule that confirmed a fault must not be met before terminals are readmitted
    /// (offline-mode.md section 5). With half of it a service that fails every ten seconds flaps; with twice
    /// as much shops stay offline for a quarter of a minute longer than they have to.
    package var recovery: Duration = .seconds(15)
    /// Over how long they are readmitted, in cohorts: 5 s for each of six. With half of it the second cohort
    /// comes before the first one's effect is in the reports; with twice as much the last waits a minute.
    package var letBack: Duration = .seconds(30)
    /// How long at most terminals with full outboxes are readmitted one after another: a chain's day of sales
    /// drains in minutes. With half of it a slow store gets its last terminals all at once; with twice as
    /// much a false backlog could keep the service in `recovering` for two hours.
    package var longestLetBack: Duration = .seconds(3_600)
    /// A terminal that waits for its turn and sends nothing for so long leaves the queue: six times the
    /// slowest poll. With half of it a few lost polls cost the slot; with twice as much those behind a till
    /// that was switched off wait twice as long.
    package var releaseMemory: Duration = .seconds(60)
    /// How many cohorts at most: each adds a sixth of the load. With 3 the first is a third of it at once;
    /// with 12 each would last 2.5 s, less than one report.
    package var cohorts = 6
    /// The service's capacity for all terminals together, in mutations a minute, until it was measured; key
    /// `qos.capacityPerMinute`. A wrong figure costs the first seconds of a recovery: ``IntakeCapacity``
    /// replaces it, upwards faster than downwards.
    package var capacityPerMinute: Int64 = 600_000
    /// A terminal that has not reported for so long is not counted any more: twenty polls. With half of it a
    /// quiet till leaves the majority sooner; with twice as much one that was switched off counts for 20
    /// minutes.
    package var memory: Duration = .seconds(600)

    /// Every threshold at its default.
    package init() {}

    /// How far the rule of a scope looks back.
    func window(of scope: ServiceDecision.Scope) -> Duration {
        switch scope {
        case .global: global.window
        case .store: store.window
        case .terminal: terminalWindow
        }
    }
}
