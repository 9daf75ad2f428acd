import Pricing
import Testing

@Suite("Hours of a week")
struct WeeklyHoursTests {
    /// Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00; both are Sundays.
    private static let spring = StoreClock(
        offsetSeconds: 3_600, change: .init(at: 1_774_746_000_000, offsetSeconds: 7_200))
    private static let autumn = StoreClock(
        offsetSeconds: 7_200, change: .init(at: 1_792_890_000_000, offsetSeconds: 3_600))
    private static let minute: Int64 = 60_000

    private func hours(_ days: Set<Weekday>, _ from: Int64, _ until: Int64) throws -> WeeklyHours {
        try #require(WeeklyHours(days: days, from: from, until: until))
    }

    /// The minutes from the change on, or before it, at which `hours` are open.
    private func open(_ hours: WeeklyHours, _ clock: StoreClock, _ minutes: Range<Int64>) throws
        -> [Int64]
    {
        let change = try #require(clock.change)
        return minutes.filter { hours.contains(change.at + $0 * Self.minute, by: clock) }
    }

    @Test("hours are those of the wall clock, from their first minute until before their last")
    func plain() throws {
        // 1970-01-01 was a Thursday.
        let lunch = try hours([.thursday], 11 * 60, 14 * 60)
        func isOpen(_ minute: Int64) -> Bool { lunch.contains(minute * Self.minute, by: .utc) }
        #expect(!isOpen(659) && isOpen(660) && isOpen(839) && !isOpen(840))
        #expect(!isOpen(660 + 1_440) && isOpen(660 + 7 * 1_440) && isOpen(660 - 7 * 1_440))
        let east = StoreClock(offsetSeconds: 8 * 3_600)
        #expect(
            lunch.contains(180 * Self.minute, by: east) && !lunch.contains(660 * Self.minute, by: east))
    }

    @Test("hours that pass midnight belong to the day on which they begin") func midnight() throws {
        let late = try hours([.thursday], 22 * 60, 2 * 60)
        func isOpen(_ minute: Int64) -> Bool { late.contains(minute * Self.minute, by: .utc) }
        #expect(
            !isOpen(0) && !isOpen(119) && isOpen(1_320) && isOpen(1_440) && isOpen(1_559)
                && !isOpen(1_560))
        #expect(!isOpen(1_440 + 1_320))
        let evening = try hours([.thursday], 18 * 60, 0)
        #expect(
            evening.contains(1_439 * Self.minute, by: .utc)
                && !evening.contains(1_440 * Self.minute, by: .utc))
    }

    @Test("hours without a length, or past the day, are none") func refused() {
        #expect(WeeklyHours(days: [], from: 60, until: 60) == nil)
        #expect(WeeklyHours(days: [], from: 1_440, until: 1) == nil)
        #expect(WeeklyHours(days: [], from: -1, until: 1) == nil)
        #expect(WeeklyHours(days: [], from: 0, until: 1_441) == nil)
        #expect(WeeklyHours(days: [])?.days.count == 7)
    }

    @Test("what summer time leaves out is not given, and what comes twice is given twice")
    func summerTime() throws {
        let night = try hours([.sunday], 135, 165)
        #expect(try open(night, Self.spring, -120..<120) == [])
        #expect(try open(night, Self.autumn, -120..<120) == Array(-45..<(-15)) + Array(15..<45))
        // 01:30 to 03:30 is an hour shorter in spring, and an hour longer in autumn.
        let around = try hours([.sunday], 90, 210)
        #expect(try open(around, Self.spring, -120..<240) == Array(-30..<30))
        #expect(try open(around, Self.autumn, -240..<240) == Array(-90..<90))
        // Saturday's late hours run through the change.
        let late = try hours([.saturday], 23 * 60, 4 * 60)
        #expect(try open(late, Self.spring, -240..<240) == Array(-180..<60))
    }

    @Test("the next change is the first minute at which they begin or end", arguments: 0..<40)
    func nextChange(seed: Int64) throws {
        let from = seed * 131 % 1_440
        let until = (seed * 197 + 7) % 1_441
        let days = Set(
            Weekday.allCases.enumerated().filter { (seed >> ($0.offset % 5)) & 1 == 1 }.map(\.element))
        guard let hours = WeeklyHours(days: days, from: from, until: until) else { return }
        for clock in [Self.spring, Self.autumn, .utc] {
            let start = (clock.change?.at ?? 0) - (seed * 97 % 4_000) * Self.minute
            let expected = (1...9 * 1_440).lazy.map { start + $0 * Self.minute }
                .first { hours.contains($0, by: clock) != hours.contains(start, by: clock) }
            let promotion = drawn("P", .amount(1), hours: hours)
            let basket = Basket(
                lines: [.init(sku: "A", department: "", quantityMilli: 1_000, price: 5)], coupons: [],
                memberId: nil, moment: start, clock: clock, isOffline: true)
            let offers = Offers(promotions: [promotion], coupons: [])
            #expect(offers.nextChange(for: basket) == expected)
            let isOpen = hours.contains(start, by: clock)
            #expect(try offers.reductions(for: basket).total == (isOpen ? 1 : 0))
        }
    }
}
