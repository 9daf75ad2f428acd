import Base
import HubProtocol
import Testing

@testable import Retail

@Suite("What people see of a shift before its drawer was counted")
struct BlindShiftTests {
    /// 12.50 in cash, of a member who earned points for it and paid 2.00 with others.
    private static var shift: Shift {
        let opening = ShiftOpening(
            shiftId: "s1", businessDay: "2026-11-21", timeZone: "Asia/Shanghai", currency: "CNY",
            openedAt: 1_795_234_567_000, openedBy: nil, float: 0)
        var sums = ShiftSums()
        sums.sales = .init(count: 1, total: 1_250)
        sums.tenders = [.init(method: "cash", count: 1, amount: 1_250)]
        sums.taxes = [.init(taxBasisPoints: 700, paid: 1_250, tax: 82)]
        (sums.pointsEarned, sums.pointsSpent) = (1_250, 200)
        return Shift(
            opening: opening, from: 1, to: 2, head: "h", sums: sums, closing: nil, statements: [])
    }

    @Test("A blind shift shows its counts, and neither money nor points, which are earned and spent as money")
    func hidden() throws {
        var shift = Self.shift
        let zone = try #require(BusinessCalendar(timeZone: "Asia/Shanghai"))
        let policy = CheckoutPolicy(calendar: zone, receiptHeader: [])
        #expect(ShiftReport(shift: shift, policy: policy).text.contains("Points earned"))
        shift.isBlind = true
        var counts = ShiftSums()
        counts.sales.count = 1
        #expect(shift.shownSums == counts)
        let report = ShiftReport(shift: shift, policy: policy).text
        for hidden in ["12.50", "1250", "Points", "Tax"] { #expect(!report.contains(hidden)) }
        #expect(report.contains("Sales (1)"))
    }

    @Test("A report counts one entry, and names the rounding of cash as the receipt, which goes both ways")
    func words() {
        let english = Language.english.reportTexts
        #expect(english.entriesSoFar(1) == "1 entry so far" && english.entriesSoFar(2) == "2 entries so far")
        let chinese = Language.chinese
        #expect(chinese.reportTexts.cashRounding.contains(chinese.receiptTexts.cashRounding))
    }
}
