import HubCore
import HubProtocol
import Testing

@Suite("What is odd about a finished sale")
struct SalePlausibilityTests {
    /// 2026-11-22, noon.
    private static let now: Int64 = 1_795_348_800_000

    private func flags(
        _ number: String, day: String? = nil, total: Int64 = 100, terminal: Int64? = 2
    ) -> Set<IntakeFlag> {
        let order = CompletedOrder(shown: [
            "orderId": "o", "orderNumber": .string(number), "total": .integer(total), "currency": "CNY",
            "businessDay": JSONValue(day),
        ])
        return SalePlausibility(
            of: order, storeId: "north-1", terminalNumber: terminal, at: Self.now,
            within: IntakeLimits()
        ).flags
    }

    @Test(
        "A number is foreign unless its store and terminal are the terminal's own, compared completely",
        arguments: [
            ("north-1-2-20261122-0001", []), ("north-1-3-20261122-0001", [.orderNumberForeign]),
            ("north-1-20-20261122-0001", [.orderNumberForeign]),
            ("north-2-20261122-0001", [.orderNumberForeign]), ("", [.orderNumberForeign]),
            // Read from behind, these are terminal 1 of the store `north-1-2`, and the store `north` alone.
            ("north-1-2-1-20261122-0001", [.orderNumberForeign]), ("north-1-2-1", [.orderNumberForeign]),
            ("north-1-02-20261122-0001", [.orderNumberForeign]),
            ("A", [.orderNumberForeign]), ("NORTH-1-2-20261122-0001", [.orderNumberForeign]),
        ] as [(String, Set<IntakeFlag>)])
    func foreign(number: String, expected: Set<IntakeFlag>) {
        #expect(flags(number) == expected)
    }

    @Test(
        "An own number is flagged for a day that is none or too far, and for an impossible counter",
        arguments: [
            ("20261124-1", true), ("20261125-1", false), ("20251018-1", true), ("20251017-1", false),
            ("99991231-1", false), ("20260230-1", false), ("2026112-1", false), ("20261122-999999999", true),
            ("20261122-1000000000", false), ("20261122-0", false), ("20261122-", false),
            ("20261122-9223372036854775807", false), ("20261122-+1", false), ("x-1", false),
        ])
    func implausible(rest: String, isPlausible: Bool) {
        #expect(flags("north-1-2-\(rest)") == (isPlausible ? [] : [.orderNumberImplausible]), "\(rest)")
    }

    @Test("Without its number, a terminal's store is compared alone")
    func unknownTerminal() {
        #expect(flags("north-1-7-20261122-1", terminal: nil).isEmpty)
        #expect(flags("south-1-20261122-1", terminal: nil) == [.orderNumberForeign])
        #expect(flags("north-1-7-1-20261122-1", terminal: nil) == [.orderNumberForeign])
    }

    @Test("A business day and an amount are flagged one past their limits")
    func dayAndAmount() {
        let number = "north-1-2-20261122-1"
        #expect(flags(number, day: "2026-11-24").isEmpty)
        #expect(flags(number, day: "2026-11-25") == [.businessDayImplausible])
        #expect(flags(number, day: "9999-99-99") == [.businessDayImplausible])
        let most = IntakeLimits().plausibleSaleAmount
        #expect(flags(number, total: most).isEmpty)
        #expect(flags(number, total: most + 1) == [.amountImplausible])
        #expect(flags(number, total: 9_007_199_254_740_991) == [.amountImplausible])
    }

    @Test("A record fits at its limit and not one past it; what was larger before may shrink")
    func records() {
        func record(bytes: Int) -> JSONValue {
            let empty = JSONValue.object(["name": ""]).canonicalBytes.count
            return ["name": .string(String(repeating: "a", count: bytes - empty))]
        }
        func record(fields: Int) -> JSONValue {
            .object(JSONObject((0..<fields).map { ("f\($0)", JSONValue.integer(1)) }))
        }
        for limit in [RecordLimits.member, .note] {
            #expect(limit.objection(to: record(bytes: limit.bytes)) == nil)
            #expect(limit.objection(to: record(bytes: limit.bytes + 1)) != nil)
            #expect(limit.objection(to: record(fields: limit.fields)) == nil)
            #expect(limit.objection(to: record(fields: limit.fields + 1)) != nil)
            let old = record(bytes: limit.bytes + 9)
            #expect(limit.objection(to: record(bytes: limit.bytes + 8), growingFrom: old) == nil)
            #expect(limit.objection(to: record(bytes: limit.bytes + 10), growingFrom: old) != nil)
            #expect(limit.objection(to: record(bytes: limit.bytes + 1), growingFrom: nil) != nil)
        }
    }
}
