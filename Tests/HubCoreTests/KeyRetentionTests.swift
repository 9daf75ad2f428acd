import HubCore
import Testing

@Suite("KeyRetention")
struct KeyRetentionTests {
    private func expired(_ receivedAt: [Int64], low: Int64, at now: Int64) -> Int {
        let entries = receivedAt.enumerated().map {
            KeyRetention.Entry(sequence: Int64($0.offset + 1), receivedAt: $0.element)
        }
        return KeyRetention.expired(among: entries, lowSequence: low, at: now)
    }

    @Test("A response goes at thirty days, not a millisecond before, and only below the low sequence")
    func both() {
        let month = KeyRetention.shortest
        #expect(month == 2_592_000_000)
        #expect(expired([0, 0, 0], low: 10, at: month - 1) == 0)
        #expect(expired([0, 0, 0], low: 10, at: month) == 3)
        #expect(expired([0, 0, 0], low: 3, at: month * 2) == 2)
        #expect(expired([0, 0, 0], low: 1, at: month * 2) == 0)
    }

    @Test("A young response keeps the older ones behind it")
    func beginning() {
        #expect(expired([0, 5_000, 0], low: 10, at: KeyRetention.shortest + 1_000) == 1)
    }
}
