import HubProtocol
import Retail
import Testing

@Suite("The business day")
struct BusinessCalendarTests {
    @Test(
        "begins at its own hour of the store's clock",
        arguments: [
            // 2026-11-20T19:59:59.999Z is 03:59:59.999 in Shanghai.
            ("Asia/Shanghai", 1_795_204_799_999, 20_261_120),
            ("Asia/Shanghai", 1_795_204_800_000, 20_261_121),
            ("Etc/UTC", 1_795_204_800_000, 20_261_120),
            // 2026-03-29: Berlin's clock jumps from 02:00 to 03:00; the day begins at 02:00Z.
            ("Europe/Berlin", 1_774_749_599_999, 20_260_328),
            ("Europe/Berlin", 1_774_749_600_000, 20_260_329),
            ("America/New_York", 0, 19_691_231),
            ("Etc/UTC", -1, 19_691_231),
        ] as [(String, Int64, Int64)])
    func day(zone: String, milliseconds: Int64, expected: Int64) throws {
        let calendar = try #require(BusinessCalendar(timeZone: zone))
        #expect(calendar.day(at: milliseconds).number == expected)
    }

    @Test("never goes back in the night in which the store's clock does")
    func setBack() throws {
        // 2026-10-25: Berlin's clock goes from 03:00 back to 02:00 at 01:00Z; the day begins at 02:30.
        let begin = try #require(BusinessDayBegin("02:30"))
        let calendar = try #require(BusinessCalendar(timeZone: "Europe/Berlin", begin: begin))
        let moments: [Int64] = [
            1_792_888_140_000, 1_792_888_200_000, 1_792_890_000_000, 1_792_891_740_000, 1_792_891_800_000,
            1_792_899_000_000,
        ]
        #expect(
            moments.map { calendar.day(at: $0).number }
                == [20_261_024, 20_261_025, 20_261_025, 20_261_025, 20_261_025, 20_261_025])
        #expect(calendar.localTime(at: moments[2]) == "2026-10-25 02:00:00")
    }

    @Test("an unknown zone and a time beyond the day are refused")
    func refused() {
        #expect(BusinessCalendar(timeZone: "Mars/Olympus") == nil)
        #expect(BusinessDayBegin("24:00") == nil)
        #expect(BusinessDayBegin("-1:00") == nil)
    }

    @Test("the store's clock reads as people write it")
    func localTime() throws {
        let calendar = try #require(BusinessCalendar(timeZone: "Asia/Shanghai"))
        #expect(calendar.localTime(at: 1_795_204_799_999) == "2026-11-21 03:59:59")
    }

    @Test("in the hour that the clock repeats a receipt has the offset from UTC, and in no other")
    func repeatedHour() throws {
        let berlin = try #require(BusinessCalendar(timeZone: "Europe/Berlin"))
        // 2026-10-25, 00:30 UTC: 02:30 in summer; an hour later it is 02:30 again.
        let first: Int64 = 1_792_888_200_000
        #expect(berlin.localTime(at: first) == berlin.localTime(at: first + 3_600_000))
        #expect(berlin.receiptTime(at: first) == "2026-10-25 02:30:00 +02:00")
        #expect(berlin.receiptTime(at: first + 3_600_000) == "2026-10-25 02:30:00 +01:00")
        #expect(berlin.receiptTime(at: first - 1_800_001) == "2026-10-25 01:59:59")
        #expect(berlin.receiptTime(at: first + 5_400_000) == "2026-10-25 03:00:00")
        // In spring an hour is left out, and none is twice.
        #expect(berlin.receiptTime(at: 1_774_747_800_000) == "2026-03-29 03:30:00")
        let york = try #require(BusinessCalendar(timeZone: "America/New_York"))
        #expect(york.receiptTime(at: 1_793_511_000_000) == "2026-11-01 01:30:00 -04:00")
    }

    @Test("an order number is read back, hyphens in the store's id included")
    func orderNumber() throws {
        let day = try #require(BusinessDay(number: 20_261_121))
        let number = OrderNumber(storeId: "north-7", terminalNumber: 3, businessDay: day, counter: 42)
        #expect(number.description == "north-7-3-20261121-0042")
        #expect(OrderNumber(number.description) == number)
        #expect(day.text == "2026-11-21")
        for wrong in ["", "1-2-3", "a-1-20261321-1", "a-x-20261121-1", "a-1-20261121-0", "a-1-20261121-"] {
            #expect(OrderNumber(wrong) == nil)
        }
    }

    @Test("a day that the calendar does not have is none")
    func days() {
        for number: Int64 in [20_260_228, 20_240_229, 20_261_231, 10_101] {
            #expect(BusinessDay(number: number)?.number == number)
        }
        for number: Int64 in [20_260_229, 20_260_230, 20_260_431, 20_261_301, 20_260_100, 0, -20_260_101] {
            #expect(BusinessDay(number: number) == nil)
        }
    }
}
