import Base
import HubCore
import Testing

@Suite("TokenBucket")
struct TokenBucketTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private let rate = TokenBucket.Rate(callsPerMinute: 60)

    /// Calls at whole tenths of a second, drawn: `o` went ahead, `x` had to wait.
    private func drawn(_ tenths: [Int], from bucket: inout TokenBucket) -> String {
        String(
            tenths.map { tenth in
                let now = Self.start + .milliseconds(tenth * 100)
                return bucket.take(rate, at: now) == nil ? "o" : "x"
            })
    }

    @Test("A minute's worth goes at once, one more waits for its interval")
    func burst() {
        var bucket = TokenBucket(at: Self.start)
        #expect(drawn(Array(repeating: 0, count: 60), from: &bucket) == String(repeating: "o", count: 60))
        #expect(bucket.take(rate, at: Self.start) == .seconds(1))
        #expect(drawn([4, 9, 10, 10, 19, 20], from: &bucket) == "xxoxxo")
    }

    @Test("A refused call takes nothing, and an idle minute fills the bucket, never more")
    func refill() {
        var bucket = TokenBucket(at: Self.start)
        _ = drawn(Array(repeating: 0, count: 60), from: &bucket)
        #expect(drawn(Array(repeating: 0, count: 500), from: &bucket).contains("o") == false)
        let later = Array(repeating: 100_000, count: 61)
        #expect(drawn(later, from: &bucket) == String(repeating: "o", count: 60) + "x")
    }

    @Test("A burst of its own is what comes at once, whatever a minute brings")
    func ownBurst() {
        let rate = TokenBucket.Rate(callsPerMinute: 12_000, burst: 200)
        var bucket = TokenBucket(at: Self.start)
        for _ in 0..<200 { #expect(bucket.take(rate, at: Self.start) == nil) }
        #expect(bucket.take(rate, at: Self.start) == .milliseconds(5))
        #expect(bucket.take(rate, at: Self.start + .milliseconds(5)) == nil)
    }

    @Test("Each terminal has a bucket of its own; full ones are forgotten")
    func terminals() {
        var buckets = TerminalBuckets(rate: rate)
        for _ in 0..<60 { #expect(buckets.take("T1", at: Self.start) == nil) }
        #expect(buckets.take("T1", at: Self.start) != nil)
        #expect(buckets.take("T2", at: Self.start) == nil)
        for terminal in 0..<5_000 {
            _ = buckets.take("N\(terminal)", at: Self.start + .seconds(120 + terminal * 2))
        }
        #expect(buckets.count < 1_100)
    }
}
