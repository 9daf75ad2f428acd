package import Base

/// How many mutations a minute the store can process, as measured so far.
///
/// Only the time counts in which at least one push with results was being processed. While terminals wait for
/// each other, nothing shows what the store could do; a push without results only shows the cost of a
/// refusal. The estimate rises quickly and falls slowly, since small pushes show little of what large ones
/// would do.
package struct IntakeCapacity: Hashable, Sendable {
    private struct Interval: Hashable, Sendable {
        var start: Instant
        var end: Instant
    }

    /// Mutations a minute; what was configured until enough was seen.
    package private(set) var perMinute: Int64
    /// When a push with results was being processed, without overlaps and in order, since ``learnedAt``.
    private var busy: [Interval] = []
    private var mutations: Int64 = 0
    /// What was seen before has been learned from.
    private var learnedAt = Instant(nanoseconds: .min)

    /// Less work than this is not significant. A batch of 200 sales takes some 20 ms, so 200 ms hold ten of
    /// them. With half of it one slow sync of the disk would count as a slow store; with twice as much the
    /// first terminals of a recovery would be paced by the configured figure for twice as long.
    private static let shortest = Duration.milliseconds(200)
    /// With 25 one small push that waited for a lock would decide, with 100 a quiet chain would hardly ever
    /// measure.
    private static let fewest: Int64 = 50
    /// One mutation a second is a store that hardly works; more than ten million a minute no store does, so a
    /// wrong clock shows nothing else. They only bound the estimate: halved or doubled they change no honest
    /// one.
    private static let range: ClosedRange<Int64> = 60...10_000_000
    /// Intervals that are kept apart. More are joined at the old end, which makes the store look slower by
    /// the gap between two; it takes a thousand pushes of 0.2 ms to get there.
    private static let maximumIntervals = 1_000

    /// - Parameter perMinute: the estimate before anything was measured.
    package init(believing perMinute: Int64) {
        self.perMinute = perMinute
    }

    /// A push with `count` results was being processed from `start` to `end`. Pushes are noted when they end,
    /// so `end` never steps back.
    package mutating func note(_ count: Int, from start: Instant, to end: Instant) {
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

    /// Upwards half of the difference counts: after three measurements an estimate that was ten times too low
    /// is within a fifth. With all of it one lucky measurement would admit too many terminals at once, with a
    /// quarter a recovery would be nearly over before the pace is right.
    ///
    /// Downwards an eighth counts: a pause of the disk or a few small pushes look like a slow store and are
    /// over at the next measurement. An estimate that is twice too high is within a fifth after twelve. With
    /// a quarter three pauses would halve the pace; with a sixteenth a store that has become slow would be
    /// overrun for twice as long.
    private mutating func learn(_ seen: Int64) {
        let next = seen > perMinute ? (perMinute + seen) / 2 : (7 * perMinute + seen) / 8
        perMinute = min(max(next, Self.range.lowerBound), Self.range.upperBound)
    }
}
