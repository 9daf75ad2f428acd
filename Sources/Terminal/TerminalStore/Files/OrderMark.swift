import Base

internal import HubProtocol
internal import Retail

/// How far order numbers were given out: a business day and the counter within it.
struct OrderMark: Hashable, Comparable, Sendable {
    /// The business day as eight digits; 0 before the first.
    let day: Int64
    let counter: Int64

    static let none = OrderMark(day: 0, counter: 0)

    static func < (left: OrderMark, right: OrderMark) -> Bool {
        (left.day, left.counter) < (right.day, right.counter)
    }
}

/// What a number from outside may do to the counter.
///
/// A hub sends order numbers in `409 journal_forked`. An accepted number is never taken back, so an absurd
/// one would move a terminal to another century or stop it at the end of the integers.
extension OrderMark {
    /// Skipped at least when the count of used numbers is unknown: the high-water file is lost, corrupt or a
    /// copy, or the hub names a head that cannot be this terminal's. Half of it is still ten times the sales
    /// of a busy day; doubled, the numbers on receipts get longer sooner.
    static let leap: Int64 = 10_000
    /// The numbers that a data folder skips for each second of the day at which it went on from a copy. No
    /// terminal sells as fast, so that a life of the copy never comes as far as a later one began. Half would
    /// leave two that begin one second after the other no room; doubled, three in a day leave the numbers
    /// that a hub takes for plausible.
    static let perSecond: Int64 = 3_000
    /// Of those the part that is drawn, so that clocks that show the same second, as after an empty battery,
    /// do not give the same numbers. The rest is what a life may sell in the second in which it began and
    /// the next one.
    static let drawn: Int64 = 2_000
    /// A head's counter is adopted below this. A terminal that sold ten times a second all day would reach
    /// 864,000; half or double of it changes nothing for an honest one.
    static let adoptable: Int64 = 1_000_000_000
    /// No number is given out beyond it, and a mark beyond it was no sale's. It is a thousand times what can
    /// be adopted and far below 2⁵³, so that leaps from there do not come near it within a business day and
    /// the canonical form can carry it.
    static let ceiling: Int64 = 1_000_000_000_000
    /// How far ahead of the clock a business day may be: one day for the time zones east of UTC, and one for
    /// a clock that is wrong. Half of it would refuse honest numbers of Auckland.
    static let daysAhead: Int64 = 2

    /// The latest business day that is plausible at `milliseconds` since 1970, as eight digits.
    static func latestDay(at milliseconds: Int64) -> Int64 {
        // Beyond the year 9999 a day has more than eight digits.
        let days = min(max(0, milliseconds / 86_400_000) + daysAhead, 2_932_896)
        let date = CivilDate(daysSince1970: days)
        return date.year * 10_000 + date.month * 100 + date.day
    }

    /// The business day of what is recorded now. While the hub's time is known it is today: only a wrong
    /// clock can have made a later one. Otherwise it is never before the last one that was used, unless a
    /// wrong clock made that one: a day after every possible present day.
    ///
    /// - Parameters:
    ///   - today: by the store's clock.
    ///   - madeAt: the store's clock in Unix milliseconds.
    ///   - isHubTimeKnown: whether the store's clock shows the hub's time.
    ///   - hubTime: the latest time from the hub, in Unix milliseconds; nil: none so far, and then no clock
    ///     is confirmed.
    func businessDay(
        today: BusinessDay, madeAt: Int64, isHubTimeKnown: Bool = false, hubTime: Int64?
    ) -> BusinessDay {
        guard let last = BusinessDay(number: day), last > today, !isHubTimeKnown else { return today }
        guard let hubTime, day > Self.latestDay(at: max(madeAt, hubTime)) else { return last }
        // Where and at which hour the store's day begins only `today` shows: the hub's day is as many whole
        // days later as the clocks differ, and the same one while the wall clock is right.
        let date = CivilDate(
            year: today.number / 10_000, month: today.number / 100 % 100, day: today.number % 100)
        guard let first = date.daysSince1970 else { return today }
        let hubDate = CivilDate(daysSince1970: first + max(0, (hubTime - madeAt) / 86_400_000))
        return BusinessDay(number: hubDate.year * 10_000 + hubDate.month * 100 + hubDate.day) ?? today
    }

    /// Whether sales of this terminal can have left the mark.
    func isPlausible(latestDay: Int64) -> Bool {
        guard self != .none else { return true }
        return BusinessDay(number: day) != nil && day <= latestDay && (0...Self.ceiling).contains(counter)
    }

    /// The mark after a leap; unchanged before the first sale, and where a leap would come near the ceiling.
    var leapt: OrderMark {
        guard self != .none, counter <= Self.ceiling - 2 * Self.leap else { return self }
        return OrderMark(day: day, counter: counter + Self.leap)
    }

    /// What a data folder skips that goes on from a copy at `now`, in milliseconds since 1970, beside
    /// ``leap``. The same copy may be put back more than once, and these lives differ in nothing that is in
    /// the folder: time decides, and chance within a second.
    ///
    /// - Parameter chance: a random number of 0 up to, not including, ``drawn``.
    static func apart(at now: Int64, chance: Int64) -> Int64 {
        max(0, now) / 1_000 % 86_400 * perSecond + chance
    }

    /// The mark after the leap of a data folder without a high-water file of its own.
    ///
    /// - Parameters:
    ///   - now: the wall clock in milliseconds since 1970.
    ///   - chance: a random number of 0 up to, not including, ``drawn``.
    func leaptApart(at now: Int64, chance: Int64) -> OrderMark {
        let mark = leapt
        let counter = mark.counter + Self.apart(at: now, chance: chance)
        guard mark != self, counter <= Self.ceiling - 2 * Self.leap else { return mark }
        return OrderMark(day: day, counter: counter)
    }

    /// The mark of a head's order number; nil unless it is a plausible number of this terminal.
    init?(head text: String, storeId: String?, terminalNumber: Int64?, latestDay: Int64) {
        guard let number = OrderNumber(text), number.storeId == storeId,
            number.terminalNumber == terminalNumber, number.businessDay.number <= latestDay,
            number.counter < Self.adoptable
        else { return nil }
        self.init(day: number.businessDay.number, counter: number.counter)
    }
}
