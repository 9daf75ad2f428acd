import Foundation
import HubCore
import HubProtocol
import Testing

@Suite("Merge policies")
struct MergingTests {
    private func time(_ milliseconds: Int64) -> HybridLogicalClock {
        var clock = HybridLogicalClock()
        clock.tick(now: milliseconds)
        return clock
    }

    private func fields(_ text: String, at milliseconds: Int64) -> [String: Merging.Register] {
        ["text": Merging.Register(value: .string(text), writtenAt: time(milliseconds))]
    }

    @Test("append_only keeps the first content: new, the same again, or a conflict")
    func appending() {
        #expect(Merging.append("a", to: nil) == .append)
        #expect(Merging.append("a", to: "a") == .same)
        #expect(Merging.append("b", to: "a") == .conflict)
    }

    @Test("commutative_delta gives the same sum in every order, and nothing where it overflows")
    func adding() {
        let deltas: [Int64] = [-2000, 500, 1500, -3]
        let sums = [deltas, deltas.reversed(), deltas.sorted()].map { order in
            order.reduce(Int64(10_000)) { sum, delta in Merging.add(delta, to: sum) ?? 0 }
        }
        #expect(Set(sums) == [9_997])
        #expect(Merging.add(1, to: .max) == nil)
    }

    @Test("lww_server_hlc is commutative, associative and idempotent, field by field")
    func lastWriter() {
        var author = fields("one", at: 5)
        author["author"] = Merging.Register(value: "Ann", writtenAt: time(5))
        let (two, three) = (fields("two", at: 7), fields("three", at: 6))
        let merged = Merging.lastWritten(Merging.lastWritten(author, two), three)
        #expect(merged == Merging.lastWritten(author, Merging.lastWritten(three, two)))
        #expect(merged == Merging.lastWritten(three, Merging.lastWritten(two, author)))
        #expect(merged == Merging.lastWritten(merged, merged))
        #expect(merged.mapValues(\.value) == ["text": "two", "author": "Ann"])
    }

    @Test("A writing leaves the fields that it does not name, and null takes one away")
    func writing() {
        let state: JSONValue = ["text": "one", "colour": "red", "newer": ["a": 1]]
        #expect(
            Merging.written(["text": "two", "colour": nil], over: state) == [
                "text": "two", "newer": ["a": 1],
            ])
        #expect(Merging.written(["text": "two"], over: nil) == ["text": "two"])
    }

    @Test("Fields that only travel back as they came undo nothing; without a state at the hub they are taken")
    func namedFields() {
        let change: JSONValue = ["text": "two", "colour": "red"]
        let state: JSONValue = ["text": "one", "colour": "blue"]
        #expect(
            Merging.written(change, naming: ["text"], over: state) == ["text": "two", "colour": "blue"])
        #expect(Merging.written(change, naming: ["text"], over: nil) == change)
        #expect(Merging.written(change, naming: nil, over: state) == change)
    }

    @Test("Uses of a coupon add up in any order, and are never fewer than none")
    func coupons() {
        let coupon = CouponState(["code": "A", "maxUses": 2, "uses": 1, "newer": true])
        let twice = coupon.counted(1).counted(1)
        #expect(twice.value == ["code": "A", "maxUses": 2, "uses": 3, "newer": true])
        #expect(twice.isOverused && !coupon.counted(1).isOverused)
        #expect(coupon.counted(-1).counted(-1).uses == 0)
        #expect(!CouponState(["uses": 9]).isOverused)
        #expect(CouponState(["uses": .integer(.max)]).counted(1).uses == JSONValue.exactIntegers.upperBound)
    }

    @Test(
        "escalate: a change is stale when its base is older than the hub's version",
        arguments: [(nil, 3, false), (3, nil, false), (3, 3, false), (2, 3, true), (4, 3, false)]
            as [(Int64?, Int64?, Bool)])
    func stale(base: Int64?, current: Int64?, isStale: Bool) {
        #expect(Merging.isStale(base: base, current: current) == isStale)
    }
}
