/// A day of the proleptic Gregorian calendar. (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms")
public struct CivilDate: Hashable, Sendable {
    /// Year 0 is 1 BC; negative before it.
    public let year: Int64
    /// 1 to 12 in a date that the calendar has.
    public let month: Int64
    /// Of the month, from 1.
    public let day: Int64

    /// Makes a date without a check; ``daysSince1970`` is nil for one that the calendar does not have.
    public init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date of a day; 0 is 1970-01-01, negative days come before it.
    public init(daysSince1970: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01; nil for a day that the calendar does not have.
    public var daysSince1970: Int64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return CivilDate(daysSince1970: days) == self ? days : nil
    }
}

extension Int64 {
    /// Quotient rounded towards minus infinity, and the remainder from 0 up to the divisor.
    public func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
