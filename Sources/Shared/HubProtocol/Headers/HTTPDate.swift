import Base

/// The preferred form of a date in HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The first day of 1970 was a Thursday.
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// - Parameter milliseconds: since 1970, from the year 0 up to the end of the year 9999; what is below a
    ///   second is dropped.
    package static func text(milliseconds: Int64) -> String {
        let (days, inDay) = milliseconds.floorDivided(by: 86_400_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = inDay / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
        let weekday = weekdays[Int(days.floorDivided(by: 7).remainder)]
        return "\(weekday), \(padded(date.day, 2)) \(months[Int(date.month - 1)]) \(padded(date.year, 4)) "
            + time.joined(separator: ":") + " GMT"
    }

    /// Milliseconds since 1970; nil for any other form.
    package static func milliseconds(of text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2])),
            let day = number(parts[1], digits: 2), let year = number(parts[3], digits: 4)
        else { return nil }
        let time = parts[4].split(separator: ":")
        guard time.count == 3, let hour = number(time[0], digits: 2), let minute = number(time[1], digits: 2),
            let second = number(time[2], digits: 2), hour < 24, minute < 60, second <= 60,
            let days = CivilDate(year: year, month: Int64(month) + 1, day: day).daysSince1970
        else { return nil }
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int64(text)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
