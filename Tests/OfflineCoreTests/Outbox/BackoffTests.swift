import Base
import OfflineCore
import Testing

@Suite("Backoff")
struct BackoffTests {
    @Test("each wait is between zero and the doubled step, capped first")
    func fullJitter() {
        var generator = SplitMix64(seed: 5)
        var longest: [Int64] = Array(repeating: 0, count: 9)
        for _ in 0..<2_000 {
            var backoff = Backoff(base: .seconds(1), maximum: .seconds(100))
            for n in 0..<9 {
                let wait = backoff.fail(using: &generator)
                #expect(wait >= .zero && wait <= min(.seconds(100), .seconds(1 << n)))
                longest[n] = max(longest[n], wait.wholeMilliseconds)
            }
        }
        #expect(longest[0] > 900 && longest[3] > 7_500 && longest[8] > 95_000)
    }

    @Test("Retry-After is a floor, never a ceiling, and clamped to 1 h")
    func retryAfter() {
        var generator = SplitMix64(seed: 5)
        var backoff = Backoff(base: .seconds(1), maximum: .seconds(2))
        #expect(backoff.fail(retryAfter: .seconds(30), using: &generator) == .seconds(30))
        #expect(backoff.fail(retryAfter: .seconds(-30), using: &generator) >= .zero)
        #expect(backoff.fail(retryAfter: .seconds(Int64.max / 2), using: &generator) == .seconds(3_600))
    }

    @Test("a thousand failures neither overflow nor pass the maximum, and a success resets the step")
    func manyFailures() {
        var generator = SplitMix64(seed: 5)
        var backoff = Backoff()
        for _ in 0..<1_000 { #expect(backoff.fail(using: &generator) <= .seconds(43_200)) }
        backoff.reset()
        #expect(backoff.fail(using: &generator) <= .seconds(1))
    }
}
