/// A reconnect storm and its hub.
package struct ReconnectSettings: Sendable {
    /// How many terminals come back. Default 10,000.
    package var terminals = 10_000
    /// The rows of each outbox, uniformly distributed over this range; a hundredth of them has ten times as
    /// many.
    package var backlog: ClosedRange<Int> = 1...100
    /// The cost of a request at the hub besides its mutations, in nanoseconds.
    package var perRequest: Int64 = 300_000
    /// The cost of a mutation at the hub, in nanoseconds.
    package var perMutation: Int64 = 200_000
    /// The cost of a poll response at the hub, in nanoseconds.
    package var perPoll: Int64 = 100_000
    /// Pushes that wait at the hub before one more is refused with 503; that of the real hub.
    package var queueBound = 2_000
    /// How long a terminal waits for a response, in seconds (`sync.requestTimeoutSeconds`).
    package var timeoutSeconds: Int64 = 10
    /// How many of a thousand terminals were switched off during the fault and never return.
    package var goneOfThousand: UInt64 = 20
    /// `qos.pollSeconds` of the hub.
    package var pollSeconds: Int64 = 30
    /// Whether terminals keep the hub's pace; without it they all return at once.
    package var isPaced = true
    /// The seed of outboxes, polls and jitter. Default 1; the same settings give the same run.
    package var seed: UInt64 = 1

    /// Makes settings with all defaults.
    package init() {}

    /// The least time that the hub needs for an outbox: two canaries of one mutation each, as the contract
    /// requires, and the rest in full batches.
    func capacityNanoseconds(backlog: Int64) -> Int64 {
        let pushes = 2 + max(0, backlog - 2 + 199) / 200
        return pushes * perRequest + backlog * perMutation
    }
}

/// The figures of a reconnect storm.
package struct ReconnectOutcome: Sendable {
    /// All terminals, those that never return included.
    package var terminals = 0
    /// The rows in the outboxes of the terminals that return.
    package var mutations: Int64 = 0
    /// From the hub's decision `recovering` to the last result, in nanoseconds.
    package var drained: Int64 = 0
    /// The time at full capacity, in nanoseconds.
    package var needed: Int64 = 0
    /// The most pushes in the hub's queue.
    package var longestQueue = 0
    /// Pushes that were refused because the queue was full.
    package var refused = 0
    /// Pushes without a response in time.
    package var timeouts = 0
    /// The longest wait of a push for its response, in nanoseconds.
    package var longestWait: Int64 = 0
    /// Pushes that terminals sent, repeated ones included.
    package var pushes = 0
    /// Polls of the hub's decision, of all terminals that return.
    package var polls = 0
    /// Mutations without a result in the end.
    package var left: Int64 = 0
    /// The hub's estimate of its capacity, in mutations a minute.
    package var measuredCapacity: Int64 = 0

    /// The time taken divided by the time at full capacity.
    package var timeRatio: Double { Double(drained) / Double(max(1, needed)) }
}
