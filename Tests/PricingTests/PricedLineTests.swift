import Pricing
import Testing

@Suite("A priced line")
struct PricedLineTests {
    @Test("the whole discount comes off the line once, down to zero and not below")
    func discount() throws {
        let line = try PricedLine(quantityMilli: 3000, unitPrice: 333, discount: 999, taxBasisPoints: 0)
        #expect(line.gross == 999)
        #expect(line.total == 0)
        #expect(throws: PricingError.discountAboveLine(discount: 1000, gross: 999)) {
            try PricedLine(quantityMilli: 3000, unitPrice: 333, discount: 1000, taxBasisPoints: 0)
        }
    }

    @Test("prices and discounts below zero are refused, a price of zero is not")
    func negative() throws {
        #expect(
            try PricedLine(quantityMilli: 1000, unitPrice: 0, discount: 0, taxBasisPoints: 900).total == 0)
        #expect(throws: PricingError.negativeAmount(-1)) {
            try PricedLine(quantityMilli: 1000, unitPrice: -1, discount: 0, taxBasisPoints: 0)
        }
        #expect(throws: PricingError.negativeAmount(-5)) {
            try PricedLine(quantityMilli: 1000, unitPrice: 10, discount: -5, taxBasisPoints: 0)
        }
    }

    @Test("a price that no JSON number can hold is an overflow even when the line is small")
    func hugePrice() {
        #expect(throws: PricingError.overflow) {
            try PricedLine(
                quantityMilli: 1, unitPrice: MoneyRange.maximum + 1, discount: 0, taxBasisPoints: 0)
        }
    }
}
