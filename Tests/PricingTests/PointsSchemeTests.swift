import Pricing
import Testing

@Suite("Points of a sale")
struct PointsSchemeTests {
    @Test("One point for each full amount of the total, and none without a scheme")
    func earned() throws {
        let scheme = PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10)
        #expect([99, 100, 199, 200, 0, -500].map(scheme.earned) == [0, 1, 1, 2, 0, 0])
        #expect(PointsScheme.none.earned(of: 1_000_000) == 0 && !PointsScheme.none.isInForce)
        #expect(try scheme.amount(of: 30) == 150)
        #expect(throws: PricingError.overflow) { try scheme.amount(of: .max) }
    }

    @Test("What points pay is spread by largest remainder: to the cent, and no line below zero")
    func spread() throws {
        #expect(try MoneyRange.parts(of: 100, over: [100, 100, 100]) == [34, 33, 33])
        #expect(try MoneyRange.parts(of: 2, over: [1, 1, 1]) == [1, 1, 0])
        #expect(try MoneyRange.parts(of: 3, over: [0, 5, -9, 1]) == [0, 3, 0, 0])
        #expect(try MoneyRange.parts(of: 0, over: [0, 0]) == [0, 0])
        #expect(throws: PricingError.overflow) { try MoneyRange.parts(of: 7, over: [3, 3]) }
        var random = Steps(state: 18)
        for _ in 0..<2_000 {
            let weights = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                Int64.random(in: 0...MoneyRange.maximum / 20, using: &random)
            }
            let whole = weights.reduce(0, +)
            let amount = Int64.random(in: 0...whole, using: &random)
            let parts = try MoneyRange.parts(of: amount, over: weights)
            #expect(parts.reduce(0, +) == amount)
            #expect(zip(parts, weights).allSatisfy { 0 <= $0 && $0 <= $1 })
        }
    }

    @Test("Refunds return points with the running sum, all of them at the end, in whatever parts")
    func returned() {
        func returned(_ points: Int64, _ refunded: Int64, of total: Int64, whole: Bool = false) -> Int64 {
            PointsReturn.returned(of: points, refunded: refunded, total: total, isComplete: whole)
        }
        #expect([0, 333, 666, 999, 1000].map { returned(7, $0, of: 1000) } == [0, 2, 4, 6, 7])
        // A sale that points paid whole.
        #expect(returned(7, 0, of: 0) == 0)
        #expect(returned(7, 0, of: 0, whole: true) == 7)
        #expect(returned(0, 5, of: 5, whole: true) == 0)
        #expect(returned(.max, 1 << 52, of: 1 << 52) == .max)
    }
}

/// Numbers that are the same in every run.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
