import HubCore
import Testing

@Suite("Which writes share a transaction")
struct GroupSelectionTests {
    private func waiting(_ weights: [Int], passedOver: [Int: Int] = [:]) -> [GroupSelection.Waiting] {
        weights.enumerated().map { .init(weight: $1, passedOver: passedOver[$0] ?? 0) }
    }

    @Test("Light writes go without heavy ones; heavy ones go in the order of arrival when no light one waits")
    func lightFirst() {
        #expect(GroupSelection.next(of: waiting([200, 1, 100, 20, 21])) == [1, 3])
        #expect(GroupSelection.next(of: waiting([21, 100, 30])) == [0, 1, 2])
        #expect(GroupSelection.next(of: []) == [])
    }

    @Test("A transaction ends by its weight, at the limit and not before; one write always fits")
    func weight() {
        #expect(GroupSelection.next(of: waiting([100, 60, 40])) == [0, 1, 2])
        #expect(GroupSelection.next(of: waiting([100, 60, 41])) == [0, 1])
        #expect(GroupSelection.next(of: waiting([200, 200])) == [0])
        #expect(GroupSelection.next(of: waiting([900, 21])) == [0])
        #expect(GroupSelection.next(of: waiting(Array(repeating: 20, count: 11))).count == 10)
    }

    @Test("32 writes are one transaction, 33 are two")
    func count() {
        #expect(GroupSelection.next(of: waiting(Array(repeating: 1, count: 33))).count == 32)
    }

    @Test("A heavy write that was passed over four times goes first, not before, and light ones go with it")
    func aging() {
        let light = Array(repeating: 1, count: 40)
        #expect(!GroupSelection.next(of: waiting([200] + light, passedOver: [0: 3])).contains(0))
        let chosen = GroupSelection.next(of: waiting([200] + light, passedOver: [0: 4]))
        #expect(chosen == Array(0..<32))
    }

    @Test("However many heavy writes wait, a light one is in the next transaction")
    func fairness() {
        let heavy = Array(repeating: 200, count: 500)
        #expect(GroupSelection.next(of: waiting(heavy + [1])).first == 500)
    }

    @Test("The next part of a write goes after one more selection of light ones")
    func part() {
        let over = GroupSelection.passedOverByPart
        #expect(GroupSelection.next(of: waiting([200, 1], passedOver: [0: over])) == [1])
        #expect(GroupSelection.next(of: waiting([200, 1], passedOver: [0: over + 1])) == [0, 1])
    }
}
