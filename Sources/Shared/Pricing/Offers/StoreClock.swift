internal import Base

/// A day of the week. The raw value is the word of files and feed.
package enum Weekday: String, Hashable, Sendable, CaseIterable {
    case monday = "mon"
    case tuesday = "tue"
    case wednesday = "wed"
    case thursday = "thu"
    case friday = "fri"
    case saturday = "sat"
    case sunday = "sun"

    /// Of a day that is counted from 1970-01-01, a Thursday.
    init(day: Int64) {
        self = Self.allCases[Int((day + 3).floorDivided(by: 7).remainder)]
    }
}

/// The store's wall clock around one moment: how far it is ahead of UTC, and the next change of that.
package struct StoreClock: Hashable, Sendable {
    /// A change to or from summer time.
    package struct Change: Hashable, Sendable {
        /// From then on, milliseconds since 1970.
        package let at: Int64
        /// Seconds ahead of UTC from then on.
        package let offsetSeconds: Int64

        package init(at: Int64, offsetSeconds: Int64) {
            self.at = at
            self.offsetSeconds = offsetSeconds
        }
    }

    /// Seconds ahead of UTC, below zero in the west.
    package let offsetSeconds: Int64
    /// Nil: none is known.
    package let change: Change?

    /// The clock of a store without a time zone.
    package static let utc = StoreClock(offsetSeconds: 0)

    package init(offsetSeconds: Int64, change: Change? = nil) {
        self.offsetSeconds = offsetSeconds
        self.change = change
    }

    /// The day, counted from 1970-01-01, and the minute of it, from 0 to 1439, that people read at `moment`.
    func time(at moment: Int64) -> (day: Int64, minute: Int64) {
        let seconds = moment.floorDivided(by: 1_000).quotient + offset(at: moment)
        let (day, second) = seconds.floorDivided(by: 86_400)
        return (day, second / 60)
    }

    /// When this clock shows `minute` of `day`: never where summer time leaves it out, twice where it comes
    /// again.
    func moments(day: Int64, minute: Int64) -> [Int64] {
        Set([offsetSeconds, change?.offsetSeconds ?? offsetSeconds]).compactMap { offset in
            let moment = (day * 86_400 + minute * 60 - offset) * 1_000
            return self.offset(at: moment) == offset ? moment : nil
        }
    }

    private func offset(at moment: Int64) -> Int64 {
        guard let change, moment >= change.at else { return offsetSeconds }
        return change.offsetSeconds
    }
}
