internal import Base
internal import Glibc

/// The day that a sale counts towards. It begins at an hour that the store sets, so that late sales of a bar
/// count towards the evening before.
package struct BusinessDay: Hashable, Comparable, Sendable {
    /// The day as eight digits, `20261121`.
    package let number: Int64

    /// - Parameter number: eight digits, year, month and day; nil for a day that the calendar does not have.
    package init?(number: Int64) {
        let date = CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
        guard (1...9999).contains(date.year), date.daysSince1970 != nil else { return nil }
        self.number = number
    }

    /// The day that contains the second `seconds` since 1970, counted on a clock without a zone.
    package init(secondsSince1970 seconds: Int64) {
        var moment = time_t(seconds)
        var fields = tm()
        gmtime_r(&moment, &fields)
        number =
            Int64(fields.tm_year + 1900) * 10_000 + Int64(fields.tm_mon + 1) * 100 + Int64(fields.tm_mday)
    }

    /// The day as an RFC 3339 date, `2026-11-21`.
    package var text: String {
        padded(number / 10_000, to: 4) + "-" + padded(number / 100 % 100, to: 2) + "-"
            + padded(number % 100, to: 2)
    }

    /// By date: `20261121` is less than `20261122`.
    package static func < (left: BusinessDay, right: BusinessDay) -> Bool {
        left.number < right.number
    }
}

/// `number` with leading zeros up to `width` digits.
func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
