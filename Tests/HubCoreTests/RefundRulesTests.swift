import HubCore
import HubProtocol
import Testing

@Suite("RefundRules")
struct RefundRulesTests {
    private let sale = OrderFacts(
        orderId: "o", orderNumber: "n", total: 3000, currency: "CNY",
        lines: [
            OrderFacts.Line(sku: "tea", quantityMilli: 2000, unitPrice: 1000),
            OrderFacts.Line(sku: "tea", quantityMilli: 500, unitPrice: 1000),
            OrderFacts.Line(sku: "cup", quantityMilli: 1000, unitPrice: 500),
        ])

    private func excess(_ refund: RefundFacts, after earlier: [RefundFacts] = []) -> String? {
        RefundRules.excess(of: refund, on: sale, earlier: earlier)
    }

    @Test("Up to the sale's amount and quantities everything comes back, in one refund or in many")
    func within() {
        let whole = RefundFacts(total: 3000, quantities: ["tea": 2500, "cup": 1000])
        let half = RefundFacts(total: 1500, quantities: ["tea": 1250])
        #expect(excess(whole) == nil)
        #expect(excess(half, after: [half]) == nil)
    }

    @Test("A cent or a thousandth more is too much, also over several refunds, and nothing overflows")
    func beyond() {
        let half = RefundFacts(total: 1500, quantities: ["tea": 1250])
        #expect(excess(RefundFacts(total: 3001, quantities: [:]))?.contains("30.00") == true)
        #expect(excess(RefundFacts(total: 1501, quantities: [:]), after: [half])?.contains("15.00") == true)
        #expect(excess(RefundFacts(total: 1, quantities: ["tea": 1251]), after: [half]) != nil)
        #expect(excess(RefundFacts(total: 1, quantities: ["milk": 1]))?.contains("milk") == true)
        #expect(excess(RefundFacts(total: .max, quantities: [:]), after: [half]) != nil)
    }

    @Test("A refund of less than nothing is none")
    func shape() throws {
        #expect(throws: ShapeError.self) { try RefundFacts(payload: ["total": -1]) }
        #expect(throws: ShapeError.self) {
            try RefundFacts(payload: ["lines": [["sku": "tea", "quantityMilli": 0]]])
        }
        let refund = try RefundFacts(
            payload: [
                "total": 7, "lines": [["sku": "a", "quantityMilli": 5], ["sku": "a", "quantityMilli": 6]],
            ])
        #expect(refund == RefundFacts(total: 7, quantities: ["a": 11]))
    }
}
