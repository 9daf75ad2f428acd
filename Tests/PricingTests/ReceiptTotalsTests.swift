import Pricing
import Testing

@Suite("Receipt totals")
struct ReceiptTotalsTests {
    private func line(_ price: Int64, tax: Int64, discount: Int64 = 0) throws -> PricedLine {
        try PricedLine(quantityMilli: 1000, unitPrice: price, discount: discount, taxBasisPoints: tax)
    }

    @Test("tax is taken out of what is paid, once per rate on the whole receipt")
    func taxPerRate() throws {
        // Line by line, 9 % of three times 1.00 would be 0.08 each and 0.24 in all.
        let totals = try ReceiptTotals(lines: [
            line(100, tax: 900), line(200, tax: 1300, discount: 50), line(100, tax: 900), line(100, tax: 900),
        ])
        #expect(totals.total == 450)
        #expect(totals.taxes.map(\.basisPoints) == [900, 1300])
        #expect(totals.taxes.map(\.paid) == [300, 150])
        #expect(totals.taxes.map(\.tax) == [25, 17])
        #expect(totals.tax == 42)
    }

    @Test(
        "half a unit of tax rounds away from zero",
        arguments: [(11, 1000, 1), (5, 1000, 0), (6, 1000, 1), (21, 10_000, 11), (1, 10_000, 1)]
            as [(Int64, Int64, Int64)])
    func halfAway(paid: Int64, rate: Int64, tax: Int64) throws {
        #expect(try ReceiptTotals(lines: [line(paid, tax: rate)]).tax == tax)
    }

    @Test("an empty receipt and untaxed lines have no tax")
    func none() throws {
        #expect(try ReceiptTotals(lines: []).total == 0)
        #expect(try ReceiptTotals(lines: [line(100, tax: 0)]).tax == 0)
    }

    @Test("lines that together leave the range are an overflow")
    func overflow() throws {
        let most = try line(MoneyRange.maximum, tax: 0)
        #expect(throws: PricingError.overflow) { try ReceiptTotals(lines: [most, most]) }
    }
}
