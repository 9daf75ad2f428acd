import Base

internal import OfflineCore

extension LinkTrace {
    /// A random link of `duration`: up and dead in turn, for random times with the averages `up` and `down`,
    /// both memoryless, in steps of 100 ms. The same seed gives the same link.
    package static func drawn(up: Duration, down: Duration, for duration: Duration, seed: UInt64) -> LinkTrace
    {
        var random = SplitMix64(seed: seed)
        var rows: [Row] = []
        let end = Instant(nanoseconds: 0) + duration
        var now = Instant(nanoseconds: 0)
        while now < end {
            let isUp = rows.count % 2 == 0
            rows.append(Row(start: now, isUp: isUp))
            let steps = UInt64(max(1, (isUp ? up : down).wholeMilliseconds / 100))
            var length: Int64 = 1
            while random.below(steps) != 0 { length += 1 }
            now = now + .milliseconds(100 * length)
        }
        return LinkTrace(rows: rows, end: end)
    }
}
