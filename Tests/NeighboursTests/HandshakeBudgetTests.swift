import Base
import HubProtocol
import Neighbours
import Testing

/// Who may begin a handshake while strangers try to fill all places.
@Suite("The budget of handshakes")
struct HandshakeBudgetTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private func stranger(_ number: Int) -> [UInt8] { [10, 9, UInt8(number / 256), UInt8(number % 256)] }
    private func till(_ number: Int) -> [UInt8] { [10, 1, 1, UInt8(number)] }

    @Test("However many strangers come from however many addresses, each till of the store finds room")
    func strangers() {
        var budget = HandshakeBudget(at: Self.start)
        for second in 0..<5 {
            let now = Self.start + .seconds(Int64(second))
            let begun = (0..<1_000).count { budget.begin(from: stranger($0), isExpected: false, at: now) }
            #expect(begun <= NeighbourLimits.handshakesASecond / 2)
            for number in 1...NeighbourLimits.neighbours {
                let hasRoom = budget.begin(from: till(number), isExpected: true, at: now)
                #expect(hasRoom, "till \(number)")
                budget.end(from: till(number))
            }
        }
    }

    @Test("One address has its part, and no more, until what it began is over")
    func one() {
        var budget = HandshakeBudget(at: Self.start)
        let begun = (0..<100).count { _ in budget.begin(from: till(1), isExpected: true, at: Self.start) }
        #expect(begun == NeighbourLimits.handshakesOfAddressAtOnce)
        let later = Self.start + .seconds(9)
        let before = budget.begin(from: till(1), isExpected: true, at: later)
        budget.end(from: till(1))
        let after = budget.begin(from: till(1), isExpected: true, at: later)
        #expect(!before && after)
        // What ends at once is counted by the second.
        var quick = HandshakeBudget(at: Self.start)
        let often = (0..<100).count { _ in
            defer { quick.end(from: till(1)) }
            return quick.begin(from: till(1), isExpected: true, at: Self.start)
        }
        #expect(often == NeighbourLimits.handshakesOfAddressASecond)
    }

    @Test("Addresses of which nothing is under way are forgotten with the second")
    func forgotten() {
        let later = Self.start + .seconds(1)
        var (many, one) = (HandshakeBudget(at: Self.start), HandshakeBudget(at: later))
        for number in 0..<5 where many.begin(from: stranger(number), isExpected: false, at: Self.start) {
            many.end(from: stranger(number))
        }
        let isOpen = many.begin(from: till(1), isExpected: true, at: later)
        #expect(isOpen && one.begin(from: till(1), isExpected: true, at: later))
        #expect(many == one)
    }

    @Test("A till of the store whose address is new comes in while strangers are few")
    func moved() {
        var budget = HandshakeBudget(at: Self.start)
        for number in 0..<10 { _ = budget.begin(from: stranger(number), isExpected: false, at: Self.start) }
        let hasRoom = budget.begin(from: till(1), isExpected: false, at: Self.start)
        #expect(hasRoom)
    }
}
