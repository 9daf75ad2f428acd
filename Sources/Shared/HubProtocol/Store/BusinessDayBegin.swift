internal import Base

/// When a business day of a store begins, in the store's time zone: one rule for the days of sales at a till,
/// for the hub's own days, and for the day that a page shows first.
package struct BusinessDayBegin: Hashable, Sendable {
    /// Of a store's settings and of a terminal's file.
    package static let key = "store.businessDayStartsAt"

    /// Where neither store nor file says it, 04:00: a sale behind midnight belongs to the evening before.
    package static let standard = BusinessDayBegin(minutes: 4 * 60)

    /// Behind midnight, 0 to 1439.
    package let minutes: Int

    private init(minutes: Int) { self.minutes = minutes }

    /// - Parameter text: `HH:MM`; anything else gives nil.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        minutes = hour * 60 + minute
    }

    /// The business day at a moment in milliseconds since 1970. Later moments never have an earlier day:
    /// where the store's clock is set back, the repeated hour stays in the day that had begun.
    ///
    /// - Parameter offset: by how many seconds the store's clock is ahead of UTC at a second since 1970.
    /// - Returns: seconds since 1970; the day is their date in UTC.
    package func day(at moment: Int64, offset: (Int64) -> Int) -> Int64 {
        let now = moment.floorDivided(by: 1_000).quotient
        let shown = now + Int64(offset(now)) - Int64(minutes) * 60
        var before = now - Self.longestChange
        let former = offset(before)
        guard former > offset(now) else { return shown }
        var behind = now
        while behind - before > 1 {
            let middle = (before + behind) / 2
            if offset(middle) < former { behind = middle } else { before = middle }
        }
        return max(shown, before + Int64(former) - Int64(minutes) * 60)
    }

    /// Seconds: clocks are set back by an hour, or half of it; historically by two.
    private static let longestChange: Int64 = 7_200

    /// `HH:MM`.
    package var text: String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
