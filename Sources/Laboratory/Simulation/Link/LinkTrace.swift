public import Base
import OfflineCore

/// A recorded link: its state as a step function of time, from zero.
public struct LinkTrace: Hashable, Sendable {
    /// How the link was from `start` until the next row.
    public struct Row: Hashable, Sendable {
        /// From the start of the recording.
        public let start: Instant
        /// Whether the link works, except for single losses.
        public let isUp: Bool
        /// Nil: not measured then.
        public let roundTrip: Duration?
        /// How many of a thousand round trips were lost, 0 to 1000.
        public let lossPerMille: UInt64

        /// Makes a row; the defaults are no measured round trip and no losses.
        public init(start: Instant, isUp: Bool, roundTrip: Duration? = nil, lossPerMille: UInt64 = 0) {
            self.start = start
            self.isUp = isUp
            self.roundTrip = roundTrip
            self.lossPerMille = lossPerMille
        }
    }

    /// In order of time. Before the first one the link is up.
    public let rows: [Row]
    /// When the recording ends; the last row is valid until then.
    public let end: Instant
    /// When the link was dead.
    public let outages: TimeRanges

    /// - Parameter rows: in order of time, none after `end`.
    public init(rows: [Row], end: Instant) {
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
}
