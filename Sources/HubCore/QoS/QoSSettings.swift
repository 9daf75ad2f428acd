import OfflineCore

/// The thresholds of the QoS decisions (offline-mode.md, section 5).
public struct QoSSettings: Hashable, Sendable {
    /// A rule that convicts a scope when enough of enough requests failed in a window.
    public struct Rule: Hashable, Sendable {
        public let window: Duration
        /// Requests in the window below which the rule says nothing.
        public let requests: Int
        /// Failed requests of a hundred, from which on the scope is convicted.
        public let failedPercent: Int
        public let terminals: Int
        public let stores: Int
    }

    /// Half of 20 requests from 3 terminals of 2 stores in 30 s.
    public var global = Rule(window: .seconds(30), requests: 20, failedPercent: 50, terminals: 3, stores: 2)
    /// Half of 10 requests from 2 terminals in 60 s.
    public var store = Rule(window: .seconds(60), requests: 10, failedPercent: 50, terminals: 2, stores: 1)
    /// 5 failures and no success in 30 s.
    public var terminal = Rule(window: .seconds(30), requests: 5, failedPercent: 100, terminals: 1, stores: 1)
    /// Failed probes in a row that convict a service for all.
    public var probeFailures = 3
    /// How long nothing may fail before terminals are let back.
    public var recovery: Duration = .seconds(15)
    /// Over how long they are let back, in cohorts.
    public var letBack: Duration = .seconds(30)
    /// How long at most terminals with full outboxes are let back one after another.
    public var longestLetBack: Duration = .seconds(3_600)
    /// A terminal that waits for its turn and is not heard of for so long is not waited for.
    public var herdMemory: Duration = .seconds(60)
    /// How many cohorts at most.
    public var cohorts = 6
    /// Mutations a minute that the service bears from all terminals together, until that was measured.
    public var capacityPerMinute: Int64 = 600_000
    /// A terminal that has not reported for so long is not counted any more.
    public var memory: Duration = .seconds(600)

    public init() {}
}
