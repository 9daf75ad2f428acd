/// A herd and the hub that it comes back to.
public struct ReconnectSettings: Sendable {
    /// How many terminals come back. Default 10,000.
    public var terminals = 10_000
    /// How much each outbox holds, drawn evenly from this range; a hundredth of them holds ten times as much.
    public var backlog: ClosedRange<Int> = 1...100
    /// What a request costs the hub besides its mutations, in nanoseconds.
    public var perRequest: Int64 = 300_000
    /// What a mutation costs the hub, in nanoseconds.
    public var perMutation: Int64 = 200_000
    /// What an answer to a poll costs the hub, in nanoseconds.
    public var perPoll: Int64 = 100_000
    /// Pushes that wait at the hub before one more is refused with 503; that of the real hub.
    public var queueBound = 2_000
    /// How long a terminal waits for an answer, in seconds (`sync.requestTimeoutSeconds`).
    public var timeoutSeconds: Int64 = 10
    /// Of a thousand terminals, so many were switched off during the fault and never come back.
    public var goneOfThousand: UInt64 = 20
    /// `qos.pollSeconds` of the hub.
    public var pollSeconds: Int64 = 30
    /// Whether terminals keep the hub's pace; without it they all come at once.
    public var isPaced = true
    public var seed: UInt64 = 1

    public init() {}

    /// The least time that the hub needs for an outbox: two canaries of one mutation each, as the contract
    /// has it, and the rest in whole batches.
    func capacityNanoseconds(backlog: Int64) -> Int64 {
        let pushes = 2 + max(0, backlog - 2 + 199) / 200
        return pushes * perRequest + backlog * perMutation
    }
}

/// How a herd came back.
public struct ReconnectOutcome: Sendable {
    public var terminals = 0
    public var mutations: Int64 = 0
    /// From the hub's word that it recovers to the last verdict, in nanoseconds.
    public var drained: Int64 = 0
    /// What the capacity alone needs, in nanoseconds.
    public var needed: Int64 = 0
    /// The most pushes that waited at the hub.
    public var longestQueue = 0
    /// Pushes that were refused because the queue was full.
    public var refused = 0
    /// Pushes without an answer in time.
    public var timeouts = 0
    /// The longest that a push waited for its answer, in nanoseconds.
    public var longestWait: Int64 = 0
    public var pushes = 0
    public var polls = 0
    /// Mutations without a verdict in the end.
    public var left: Int64 = 0
    /// What the hub believes that it bears, in mutations a minute.
    public var measuredCapacity: Int64 = 0

    /// The time that it took beside the time that the capacity needs.
    public var interval: Double { Double(drained) / Double(max(1, needed)) }
}
