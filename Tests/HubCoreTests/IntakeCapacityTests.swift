import Base
import HubCore
import Testing

@Suite("IntakeCapacity")
struct IntakeCapacityTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("Only the time with a push being processed counts; the estimate rises quickly and falls slowly")
    func measuring() {
        var capacity = IntakeCapacity(believing: 6_000)
        // 100 mutations in 100 ms, every ten seconds.
        for second in 0..<60 {
            capacity.note(100, from: at(Int64(second) * 10_000), to: at(Int64(second) * 10_000 + 100))
        }
        #expect((59_000...60_000).contains(capacity.perMinute))
        for second in 60..<64 {
            capacity.note(100, from: at(Int64(second) * 10_000), to: at(Int64(second) * 10_000 + 1_000))
        }
        #expect((36_000...40_000).contains(capacity.perMinute))
    }

    @Test("Pushes that overlap share their time, in whatever order they end")
    func overlapping() {
        var capacity = IntakeCapacity(believing: 60)
        for round in 0..<40 {
            let start = Int64(round) * 1_000
            for push in 0..<4 { capacity.note(50, from: at(start + Int64(push)), to: at(start + 200)) }
        }
        #expect((59_000...60_000).contains(capacity.perMinute))
        var covered = IntakeCapacity(believing: 60)
        for round in 0..<40 {
            let start = Int64(round) * 1_000
            // The longest began first and ended last.
            covered.note(50, from: at(start + 50), to: at(start + 80))
            covered.note(50, from: at(start + 120), to: at(start + 150))
            covered.note(100, from: at(start), to: at(start + 200))
        }
        #expect((59_000...60_000).contains(covered.perMinute))
    }

    @Test("Little work shows nothing, nor does a push without results, nor one that ended before it began")
    func little() {
        var capacity = IntakeCapacity(believing: 1_000)
        capacity.note(1_000_000, from: at(1), to: at(1))
        capacity.note(0, from: at(2), to: at(500_000))
        capacity.note(1_000_000, from: at(600_000), to: at(500_001))
        #expect(capacity.perMinute == 1_000)
    }
}
