public import OfflineCore

/// How many mutations a minute the store can process, as measured so far.
///
/// Only the time counts in which at least one push with results was being processed. While terminals wait for
/// each other, nothing shows what the store could do; a push without results only shows the cost of a
/// refusal. The estimate rises quickly and falls slowly, since small pushes show little of what large ones
/// would do.
public struct IntakeCapacity: Hashable, Sendable {
    private struct Interval: Hashable, Sendable {
        var start: Instant
        var end: Instant
    }

    /// Mutations a minute; what was configured until enough was seen.
    public private(set) var perMinute: Int64
    /// When a push with results was being processed, without overlaps and in order, since ``learnedAt``.
    private var busy: [Interval] = []
    private var mutations: Int64 = 0
    /// What was seen before has been learned from.
    private var learnedAt = Instant(nanoseconds: .min)

    /// Less work than this is not significant.
    private static let shortest = Duration.milliseconds(200)
    private static let fewest: Int64 = 50
    private static let range: ClosedRange<Int64> = 60...10_000_000
    /// Intervals that are kept apart. More are joined at the old end, which makes the store look slower by
    /// the gap between two; it takes a thousand pushes of 0.2 ms to get there.
    private static let maximumIntervals = 1_000

    /// - Parameter perMinute: the estimate before anything was measured.
    public init(believing perMinute: Int64) {
        self.perMinute = perMinute
    }

    /// A push with `count` results was being processed from `start` to `end`. Pushes are noted when they end,
    /// so `end` never steps back.
    public mutating func note(_ count: Int, from start: Instant, to end: Instant) {
        guard count > 0 else { return }
        mutations += Int64(count)
        add(Interval(start: max(min(start, end), learnedAt), end: end))
        let time = busy.reduce(Duration.zero) { $0 + ($1.end - $1.start) }
        guard time >= Self.shortest, mutations >= Self.fewest else { return }
        learn(mutations * 60_000 / max(1, time.wholeMilliseconds))
        busy = []
        mutations = 0
        learnedAt = end
    }

    private mutating func add(_ interval: Interval) {
        var joined = interval
        while let last = busy.last, last.end >= joined.start {
            joined.start = min(joined.start, last.start)
            busy.removeLast()
        }
        busy.append(joined)
        if busy.count > Self.maximumIntervals {
            busy[1].start = busy[0].start
            busy.removeFirst()
        }
    }

    private mutating func learn(_ seen: Int64) {
        let next = seen > perMinute ? (perMinute + seen) / 2 : (7 * perMinute + seen) / 8
        perMinute = min(max(next, Self.range.lowerBound), Self.range.upperBound)
    }
}
