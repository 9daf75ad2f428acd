import HubCore
import OfflineCore
import Testing

@Suite("IntakeCapacity")
struct IntakeCapacityTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test("Only the time with a push in hand counts; what is shown is believed quickly, the contrary slowly")
    func measuring() {
        var capacity = IntakeCapacity(believing: 6_000)
        // 100 mutations in 100 ms, every ten seconds.
        for second in 0..<60 {
            capacity.begin(at: at(Int64(second) * 10_000))
            capacity.end(100, at: at(Int64(second) * 10_000 + 100))
        }
        #expect((59_000...60_000).contains(capacity.perMinute))
        for second in 60..<64 {
            capacity.begin(at: at(Int64(second) * 10_000))
            capacity.end(100, at: at(Int64(second) * 10_000 + 1_000))
        }
        #expect((36_000...40_000).contains(capacity.perMinute))
    }

    @Test("Pushes that overlap share their time")
    func overlapping() {
        var capacity = IntakeCapacity(believing: 60)
        for round in 0..<40 {
            let start = Int64(round) * 1_000
            for push in 0..<4 { capacity.begin(at: at(start + Int64(push))) }
            for _ in 0..<4 { capacity.end(50, at: at(start + 200)) }
        }
        #expect((59_000...60_000).contains(capacity.perMinute))
    }

    @Test("Little work says nothing, and an end without a beginning does no harm")
    func little() {
        var capacity = IntakeCapacity(believing: 1_000)
        capacity.end(1_000_000, at: at(1))
        capacity.begin(at: at(2))
        capacity.end(10, at: at(5_000))
        #expect(capacity.perMinute == 1_000)
    }
}
