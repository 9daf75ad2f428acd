package import Base

/// How often a terminal may call the hub, as a token bucket: a minute's worth at once, then evenly.
///
/// The bucket is kept as the moment when it would be full again, so that it needs no timer and a full one no
/// memory (the "virtual scheduling" form of ITU-T I.371, annex A).
package struct TokenBucket: Hashable, Sendable {
    /// Calls a minute, and how many may come at once.
    package struct Rate: Hashable, Sendable {
        /// From 1 up.
        package let callsPerMinute: Int64
        /// How many may come at once, from 1 up.
        package let burst: Int64

        /// - Parameters:
        ///   - callsPerMinute: a value below 1 counts as 1.
        ///   - burst: how many may come at once; nil: a minute's worth.
        package init(callsPerMinute: Int64, burst: Int64? = nil) {
            self.callsPerMinute = max(1, callsPerMinute)
            self.burst = max(1, burst ?? callsPerMinute)
        }

        /// The time in which one call comes back.
        var interval: Duration { .nanoseconds(max(1, 60_000_000_000 / callsPerMinute)) }
        /// The time in which an empty bucket fills.
        var filling: Duration { interval * Int(burst) }
    }

    /// When the bucket is full again; in the past for a full one.
    package private(set) var fullAt: Instant

    /// A full bucket.
    package init(at now: Instant) {
        fullAt = now
    }

    /// Takes calls out, one by default.
    ///
    /// - Returns: nil when they may go ahead; otherwise how long to wait for them, and nothing was taken.
    package mutating func take(_ rate: Rate, _ count: Int64 = 1, at now: Instant) -> Duration? {
        let next = max(fullAt, now) + rate.interval * Int(count)
        let excess = (next - now) - rate.filling
        guard excess <= .zero else { return excess }
        fullAt = next
        return nil
    }
}

/// The buckets of all terminals, or of all addresses. Those that are full again are forgotten.
package struct TerminalBuckets: Sendable {
    private let rate: TokenBucket.Rate
    private var buckets: [String: TokenBucket] = [:]
    private var sweepAbove = 1_024

    /// Full buckets for every terminal or address, all with the same rate.
    package init(rate: TokenBucket.Rate) {
        self.rate = rate
    }

    /// How many terminals are remembered.
    package var count: Int { buckets.count }

    /// Takes calls out of a terminal's bucket, one by default.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long the terminal has to wait.
    package mutating func take(_ terminalId: String, _ count: Int64 = 1, at now: Instant) -> Duration? {
        if buckets.count >= sweepAbove { sweep(at: now) }
        return buckets[terminalId, default: TokenBucket(at: now)].take(rate, count, at: now)
    }

    /// Doubling the mark keeps the sweeps' cost a constant share of the calls.
    private mutating func sweep(at now: Instant) {
        buckets = buckets.filter { $0.value.fullAt > now }
        sweepAbove = max(1_024, buckets.count * 2)
    }
}
