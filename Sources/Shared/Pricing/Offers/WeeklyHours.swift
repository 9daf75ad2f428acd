/// Hours of a week by the store's wall clock.
///
/// Hours that pass midnight belong to the day on which they begin: `fri` from 22:00 until 02:00 ends on
/// Saturday at 02:00.
package struct WeeklyHours: Hashable, Sendable {
    /// Never empty.
    package let days: Set<Weekday>
    /// Minutes after midnight, 0 to 1439.
    package let from: Int64
    /// Until just before, 0 to 1440; at or below ``from`` on the next day.
    package let until: Int64

    package static let fullDay: (from: Int64, until: Int64) = (0, 1_440)

    /// Hours of `days`, of every day where there are none; nil for hours that are none or no time of a day.
    package init?(days: Set<Weekday>, from: Int64 = fullDay.from, until: Int64 = fullDay.until) {
        guard (0..<1_440).contains(from), (0...1_440).contains(until), from != until else { return nil }
        self.days = days.isEmpty ? Set(Weekday.allCases) : days
        self.from = from
        self.until = until
    }

    /// Whether the store's clock shows one of these hours at `moment`, milliseconds since 1970.
    package func contains(_ moment: Int64, by clock: StoreClock) -> Bool {
        let (day, minute) = clock.time(at: moment)
        func begins(on day: Int64) -> Bool { days.contains(Weekday(day: day)) }
        guard from > until else { return begins(on: day) && minute >= from && minute < until }
        return (begins(on: day) && minute >= from) || (begins(on: day - 1) && minute < until)
    }

    /// When they next begin or end after `moment`; nil: never.
    func nextChange(after moment: Int64, by clock: StoreClock) -> Int64? {
        let isOpen = contains(moment, by: clock)
        let today = clock.time(at: moment).day
        var edges = [clock.change?.at].compactMap(\.self)
        // Of yesterday those that end today; the same day of the next week is the last that can be next.
        for day in today - 1...today + 8 {
            for minute in [from, until] { edges += clock.moments(day: day, minute: minute) }
        }
        return edges.filter { $0 > moment && contains($0, by: clock) != isOpen }.min()
    }
}
