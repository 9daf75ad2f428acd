import HubProtocol
import Testing

@testable import HubCore

@Suite("RefundRules")
struct RefundRulesTests {
    private let sale = CompletedOrder(shown: [
        "orderId": "o", "orderNumber": "n", "total": 3000, "currency": "CNY",
        "lines": [
            ["sku": "tea", "quantityMilli": 2000, "unitPrice": 1000],
            ["sku": "tea", "quantityMilli": 500, "unitPrice": 1000],
            ["sku": "cup", "quantityMilli": 1000, "unitPrice": 500],
        ],
    ])

    private func excess(_ refund: RefundFacts, after earlier: [RefundFacts] = []) -> String? {
        RefundRules.excess(of: refund, on: sale, goods: sale.goods, earlier: earlier)
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
        #expect(
            excess(RefundFacts(total: 1, quantities: ["tea": 1251]), after: [half])
                == "The sale has 2.5 of tea, and 1.25 of it is left to give back.")
        #expect(excess(RefundFacts(total: 1, quantities: ["milk": 1]))?.contains("milk") == true)
        #expect(excess(RefundFacts(total: .max, quantities: [:]), after: [half]) != nil)
    }

    @Test("A void takes the figures back from whoever made the sale, not from the manager who voided it")
    func figuresOfVoid() throws {
        let document: JSONValue = [
            "payload": [
                "orderId": "o", "orderNumber": "n", "total": 1000, "currency": "CNY", "cashierId": "anna",
                "lines": [["sku": "tea", "quantityMilli": 1000, "unitPrice": 1000]],
            ]
        ]
        let order = RefundableOrder(
            "o", of: "T1",
            OrderState(
                key: "o", terminalId: "T1", mutationId: "M", voidedBy: "V", storeId: "S1"),
            document: document, moved: .all, returned: [])
        let entry = SaleEntry.entry(
            id: "V", type: "order.voided", entityId: "o", ["orderId": "o", "cashierId": "ben"]
        ) { _ in order }
        #expect(entry?.kind == .void)
        #expect(entry?.cashierId == "anna")
    }

    @Test("One rule for decisions and intake: what is back and what is reserved for others counts alike")
    func objections() {
        let half = RefundFacts(total: 1500, quantities: ["tea": 1250])
        func order(voided: Bool = false, back: [RefundFacts] = []) -> RefundableOrder {
            let document: JSONValue = [
                "payload": [
                    "orderId": "o", "orderNumber": "n", "total": 3000, "currency": "CNY",
                    "lines": [
                        ["sku": "tea", "quantityMilli": 2500, "unitPrice": 1000],
                        ["sku": "cup", "quantityMilli": 1000, "unitPrice": 500],
                    ],
                ]
            ]
            return RefundableOrder(
                "o", of: "T1",
                OrderState(
                    key: "o", terminalId: "T1", mutationId: "M", voidedBy: voided ? "V" : nil, storeId: "S1"),
                document: document, moved: .all,
                returned: back.map { ReturnedPart(refundId: "R", facts: $0) })
        }
        func grant(_ kind: RefundInquiry.Kind, _ facts: RefundFacts) -> RefundGrant {
            RefundGrant(
                kind, refundId: "G", orderId: "o", facts,
                to: .init(terminalId: "T2", storeId: "S1", terminalNumber: 2, at: 1_000))
        }
        func reason(
            _ reversal: Reversal, _ order: RefundableOrder, _ reserved: [RefundGrant] = []
        ) -> RefundDecision.Reason? {
            RefundRules.objection(to: reversal, of: order, besides: reserved)?.reason
        }
        #expect(reason(.refund(half), order()) == nil)
        #expect(reason(.refund(half), order(back: [half])) == nil)
        #expect(reason(.refund(half), order(), [grant(.refund, half)]) == nil)
        #expect(reason(.refund(half), order(back: [half]), [grant(.refund, half)]) == .exceedsSale)
        #expect(reason(.refund(half), order(back: [half, half])) == .exceedsSale)
        #expect(reason(.refund(half), order(voided: true)) == .voided)
        #expect(reason(.refund(half), order(), [grant(.void, half)]) == .voided)
        #expect(reason(.void, order()) == nil)
        #expect(reason(.void, order(voided: true)) == .voided)
        #expect(reason(.void, order(back: [half])) == .refunded)
        #expect(reason(.void, order(), [grant(.refund, half)]) == .refunded)
        #expect(reason(.void, order(), [grant(.void, half)]) == .voided)
    }

    @Test("A grant ends with a head that was signed after it, once everything up to that has arrived")
    func grants() {
        func isOver(signedAt: Int64, seenAt: Int64, through: Int64, revoked: Bool = false) -> Bool {
            RefundGrant(
                .refund, refundId: "R", orderId: "o", RefundFacts(total: 1, quantities: [:]),
                to: .init(terminalId: "T", storeId: "S", terminalNumber: 1, at: 1_000),
                evidence: JournalEvidence(
                    head: .init(signedAt: signedAt, seenAt: seenAt, sequence: 5),
                    acknowledgedThrough: through, highest: 5), isRevoked: revoked
            ).isOver
        }
        #expect(isOver(signedAt: 1_001, seenAt: 1_002, through: 5))
        #expect(!isOver(signedAt: 1_000, seenAt: 1_002, through: 5))
        #expect(!isOver(signedAt: 9_000, seenAt: 1_000, through: 5))
        #expect(!isOver(signedAt: 1_001, seenAt: 1_002, through: 4))
        #expect(isOver(signedAt: 1, seenAt: 1, through: 0, revoked: true))
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
