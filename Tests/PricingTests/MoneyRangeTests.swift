import Pricing
import Testing

@Suite("Money")
struct MoneyRangeTests {
    @Test(
        "a share is rounded half away from zero",
        arguments: [
            (1, 499, 0), (1, 500, 1), (1, 1499, 1), (1, 1500, 2), (-1, 500, -1), (-1, 499, 0),
            (-1, 1500, -2), (1, -2500, -3), (-1, -2500, 3), (199, 1000, 199), (0, 10_000_000, 0),
            (2999, 333, 999), (2007, 8725, 17511),
        ] as [(Int64, Int64, Int64)])
    func roundsHalfAway(amount: Int64, milli: Int64, expected: Int64) throws {
        #expect(try MoneyRange.share(of: amount, times: milli, over: 1000) == expected)
    }

    @Test("a product beyond 64 bits is no overflow when its share fits")
    func wideProduct() throws {
        let share = try MoneyRange.share(of: MoneyRange.maximum, times: 10_000_000, over: 10_000_000)
        #expect(share == MoneyRange.maximum)
    }

    @Test(
        "what does not fit is an error, never a wrap",
        arguments: [
            (MoneyRange.maximum, 1001, 1000), (Int64.max, Int64.max, 1), (Int64.min, 1, 1),
            (MoneyRange.maximum, 2, 1), (Int64.min, Int64.min, 1000),
        ] as [(Int64, Int64, Int64)])
    func overflows(amount: Int64, factor: Int64, divisor: Int64) {
        #expect(throws: PricingError.overflow) {
            try MoneyRange.share(of: amount, times: factor, over: divisor)
        }
    }

    @Test("a sum beyond the range is an error at the step that leaves it")
    func sumOverflows() throws {
        #expect(try MoneyRange.sum([MoneyRange.maximum, -1, 1]) == MoneyRange.maximum)
        #expect(throws: PricingError.overflow) { try MoneyRange.sum([MoneyRange.maximum, 1, -1]) }
        #expect(throws: PricingError.overflow) { try MoneyRange.sum([Int64.max]) }
    }
}
