import HubCore
import Testing

@Suite("KeyRetention")
struct KeyRetentionTests {
    private func expired(_ receivedAt: [Int64], low: Int64, until moment: Int64) -> Int {
        let entries = receivedAt.enumerated().map {
            KeyRetention.Entry(sequence: Int64($0.offset + 1), receivedAt: $0.element)
        }
        return KeyRetention.expired(among: entries, lowSequence: low, until: moment)
    }

    @Test("A response goes when it is old, not a millisecond before, and only below the low sequence")
    func both() {
        #expect(expired([5, 5, 5], low: 10, until: 4) == 0)
        #expect(expired([5, 5, 5], low: 10, until: 5) == 3)
        #expect(expired([5, 5, 5], low: 3, until: 9) == 2)
        #expect(expired([5, 5, 5], low: 1, until: 9) == 0)
    }

    @Test("A young response keeps the older ones behind it")
    func beginning() {
        #expect(expired([0, 5_000, 0], low: 10, until: 1_000) == 1)
    }

    @Test("No configuration keeps responses for less than the contract names")
    func contract() {
        #expect(RetentionKind.responses.rule.range.lowerBound == 30)
    }
}
