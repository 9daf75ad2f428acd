package import Base
import OfflineCore

/// A recorded link: its state as a step function of time, from zero.
package struct LinkTrace: Hashable, Sendable {
    /// How the link was from `start` until the next row.
    package struct Row: Hashable, Sendable {
        /// From the start of the recording.
        package let start: Instant
        /// Whether the link works, except for single losses.
        package let isUp: Bool
        /// Nil: not measured then.
        package let roundTrip: Duration?
        /// How many of a thousand round trips were lost, 0 to 1000.
        package let lossPerMille: UInt64

        /// Makes a row; the defaults are no measured round trip and no losses.
        package init(start: Instant, isUp: Bool, roundTrip: Duration? = nil, lossPerMille: UInt64 = 0) {
            self.start = start
            self.isUp = isUp
            self.roundTrip = roundTrip
            self.lossPerMille = lossPerMille
        }
    }

    /// In order of time. Before the first one the link is up.
    package let rows: [Row]
    /// When the recording ends; the last row is valid until then.
    package let end: Instant
    /// When the link was dead.
    package let outages: TimeRanges

    /// - Parameter rows: in order of time, none after `end`.
    package init(rows: [Row], end: Instant) {
        self.rows = rows
        self.end = end
        var outages = TimeRanges()
        for (index, row) in rows.enumerated() where !row.isUp {
            outages.add(row.start, index + 1 < rows.count ? rows[index + 1].start : end)
        }
        self.outages = outages
    }

    /// The row that is valid at `moment`; nil before the first one.
    func row(at moment: Instant) -> Row? {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].start <= moment { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : rows[low - 1]
    }

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
