import HubProtocol
import OfflineCore
import Testing

@testable import HubCore

@Suite("Rules of approval at the hub")
struct ApprovalRulesTests {
    private func mutation(_ type: String, _ payload: JSONValue) -> Mutation {
        Mutation(
            id: "01", sequence: 1, type: type, entity: "order", entityId: "o",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash, dependsOn: [],
            payload: payload)
    }

    private func isMissing(
        _ type: String, _ payload: JSONValue, _ settings: JSONObject = [:], managers: Set<String> = ["m"],
        settingsSince: Int64 = 0
    ) -> Bool {
        let since = HybridLogicalClock(milliseconds: settingsSince, counter: 0).description
        let facts = ApprovalFacts(
            settings: StoreSettings(values: settings), managers: managers, hasCashiers: !managers.isEmpty,
            settingsSince: since)
        return ApprovalClaim.claims(
            of: mutation(type, payload), EntryMembers(shown: payload), CompletedOrder(shown: payload)
        ).contains { $0.isMissing(by: facts, at: 100) }
    }

    @Test("A decision about a card machine needs an approver where the store lists it")
    func cardDecision() {
        let listed: JSONObject = ["account.approvals": ["cardDecision"]]
        #expect(isMissing("card.decided", ["cashierId": "c"], listed))
        #expect(!isMissing("card.decided", ["cashierId": "c", "approverId": "m"], listed))
        #expect(!isMissing("card.decided", [:], listed, managers: []))
    }

    private func sale(
        discount: Int64 = 0, offer: Int64? = nil, listPrice: Int64? = nil, isOpenItem: Bool = false
    ) -> JSONValue {
        var line: JSONObject = [
            "unitPrice": 500, "quantityMilli": 2000, "discount": .integer(discount),
        ]
        line["offers"] = offer.map { [["amount": .integer($0)]] }
        line["listPrice"] = listPrice.map(JSONValue.integer)
        if isOpenItem { line["openItem"] = true }
        return ["cashierId": "c", "lines": [.object(line)]]
    }

    @Test("require none for what keeps a label's price, which is less than one thousandth costs")
    func labels() {
        func label(_ discount: Int64, _ rounding: Int64) -> JSONValue {
            [
                "cashierId": "c",
                "lines": [
                    [
                        "unitPrice": 500_000, "quantityMilli": 2, "discount": .integer(discount),
                        "labelRounding": .integer(rounding),
                    ]
                ],
            ]
        }
        #expect(!isMissing("order.completed", label(251, 251)))
        #expect(isMissing("order.completed", label(251, 0)))
        #expect(isMissing("order.completed", label(800, 800)))
        #expect(isMissing("order.completed", label(500, 251)))
    }

    @Test("require one for refunds, voids, discards and edits by default")
    func standard() {
        for type in ["refund.completed", "order.voided", "mutation.discarded"] {
            #expect(isMissing(type, ["cashierId": "c"]), "\(type)")
            #expect(!isMissing(type, ["cashierId": "c", "approverId": "m"]), "\(type)")
            #expect(!isMissing(type, ["cashierId": "c"], ["account.approvals": []]), "\(type)")
            #expect(!isMissing(type, ["cashierId": "c"], managers: []), "\(type)")
        }
        #expect(isMissing("order.completed", ["lines": [], "editedBy": "c"]))
        #expect(!isMissing("order.completed", ["lines": [], "editedBy": "c", "editApproverId": "m"]))
        #expect(!isMissing("note.upserted", ["text": "x"]))
    }

    @Test(
        "require one for a price that is not the catalogue's, an article that it does not have and a high discount"
    )
    func sales() {
        #expect(!isMissing("order.completed", sale()))
        #expect(isMissing("order.completed", sale(listPrice: 499)))
        #expect(!isMissing("order.completed", sale(listPrice: 500)))
        #expect(isMissing("order.completed", sale(isOpenItem: true)))
        #expect(!isMissing("order.completed", sale(isOpenItem: true), ["account.approvals": ["refund"]]))
        #expect(!isMissing("order.completed", sale(discount: 100)))
        #expect(isMissing("order.completed", sale(discount: 101)))
        // What an offer takes off is not the cashier's.
        #expect(!isMissing("order.completed", sale(discount: 500, offer: 400)))
        #expect(isMissing("order.completed", sale(discount: 502, offer: 400)))
        let settings: JSONObject = ["account.discountBasisPoints": 0]
        #expect(isMissing("order.completed", sale(discount: 1), settings))
        #expect(!isMissing("order.completed", sale(discount: 1), ["account.approvals": ["refund"]]))
    }

    @Test("require one for cards that were taken offline above the limit of one sale")
    func cards() {
        func sale(_ amounts: [Int64], by people: JSONObject) -> JSONValue {
            let payments = amounts.map { amount -> JSONValue in
                [
                    "method": "card", "amount": .integer(amount), "state": "storedOffline",
                    "sealed": ["keyId": "k", "token": "t"],
                ]
            }
            var payload = people
            payload["payments"] = .array(payments + [["method": "cash", "amount": 9_000]])
            return .object(payload)
        }
        let most = Int64(1) << 53 - 1
        let limits: JSONObject = [
            "offlineCard.perSale": 500, "offlineCard.perShift": 900, "offlineCard.perTerminal": 900,
        ]
        #expect(!isMissing("order.completed", sale([500], by: ["cashierId": "c"]), limits))
        #expect(isMissing("order.completed", sale([501], by: ["cashierId": "c"]), limits))
        #expect(isMissing("order.completed", sale([300, 201], by: ["cashierId": "c"]), limits))
        #expect(isMissing("order.completed", sale([most, most], by: ["cashierId": "c"]), limits))
        let approved = sale([501], by: ["cashierId": "c", "approverId": "m"])
        #expect(!isMissing("order.completed", approved, limits))
        #expect(!isMissing("order.completed", sale([501], by: ["cashierId": "m"]), limits))
        // A store's list of approvals is not about limits.
        var listed = limits
        listed["account.approvals"] = []
        #expect(isMissing("order.completed", sale([501], by: ["cashierId": "c"]), listed))
        // Without cashiers nobody could have approved it, and without limits no card is taken offline.
        #expect(isMissing("order.completed", sale([501], by: [:]), limits, managers: []))
        #expect(isMissing("order.completed", sale([1], by: ["cashierId": "c"])))
        // A card machine without its bank has the same limit, and none where the store has none.
        func machine(_ amounts: [Int64], offline: Bool) -> JSONValue {
            let payments = amounts.map { amount -> JSONValue in
                [
                    "method": "card", "amount": .integer(amount),
                    "machine": ["reference": "R", "approvalCode": "", "offline": .bool(offline)],
                ]
            }
            return ["cashierId": "c", "payments": .array(payments)]
        }
        #expect(!isMissing("order.completed", machine([500], offline: true), limits))
        #expect(isMissing("order.completed", machine([300, 201], offline: true), limits))
        #expect(!isMissing("order.completed", machine([300, 201], offline: false), limits))
        #expect(!isMissing("order.completed", machine([501], offline: true)))
        // A limit that was set after the sale is not the one that the terminal had.
        #expect(isMissing("order.completed", sale([501], by: ["cashierId": "c"]), limits, settingsSince: 100))
        #expect(
            !isMissing("order.completed", sale([501], by: ["cashierId": "c"]), limits, settingsSince: 101))
    }

    @Test(
        "require one for a count that differs by more than the store tolerates, and for cash that was moved")
    func drawer() {
        func closing(counted: Int64, _ approver: String? = nil, closedBy: String = "c") -> JSONValue {
            var sums = ShiftSums()
            sums.tenders = [.init(method: "cash", count: 1, amount: 0)]
            let opening = ShiftOpening(
                shiftId: "s", businessDay: "2026-11-21", timeZone: "UTC", currency: "EUR", openedAt: 1,
                openedBy: "c", approverId: "m", float: 1_000)
            return ShiftClosing(
                opening: opening, closedAt: 2, closedBy: closedBy, closeApproverId: approver,
                cash: .init(expected: 1_000, counted: counted), counted: [], sums: sums, from: 1, to: 2,
                head: "h"
            ).json
        }
        let key: JSONObject = ["shift.toleratedDifference": 100]
        #expect(isMissing("shift.closed", closing(counted: 899), key))
        #expect(isMissing("shift.closed", closing(counted: 1_101), key))
        #expect(isMissing("shift.closed", closing(counted: 0, "c"), key))
        #expect(!isMissing("shift.closed", closing(counted: 0, "m"), key))
        #expect(!isMissing("shift.closed", closing(counted: 0, closedBy: "m"), key))
        #expect(!isMissing("shift.closed", closing(counted: 900), key))
        #expect(!isMissing("shift.closed", closing(counted: 0)))
        #expect(!isMissing("shift.closed", closing(counted: 0), key, managers: []))
        // The key is newer than the count, which the store's old rules allowed.
        #expect(!isMissing("shift.closed", closing(counted: 0), key, settingsSince: 101))
        let listed: JSONObject = ["shift.toleratedDifference": 100, "account.approvals": ["noSale"]]
        #expect(!isMissing("shift.closed", closing(counted: 0), listed))
        for (kind, isListed) in [("in", false), ("out", false), ("drop", false), ("noSale", true)] {
            let move: JSONValue = ["cashierId": "c", "kind": .string(kind), "amount": 1]
            #expect(isMissing("cash.moved", move), "\(kind)")
            #expect(isMissing("cash.moved", move, listed) == isListed, "\(kind)")
            #expect(!isMissing("cash.moved", move, ["account.approvals": []]), "\(kind)")
        }
    }

    @Test("survive amounts that are no money")
    func edges() {
        let most = Int64(1) << 53 - 1
        let lines: JSONValue = [
            [
                "unitPrice": .integer(most), "quantityMilli": .integer(-most), "discount": .integer(most),
                "offers": [["amount": .integer(-most)]],
            ]
        ]
        #expect(isMissing("order.completed", ["cashierId": "c", "lines": lines]))
    }
}
