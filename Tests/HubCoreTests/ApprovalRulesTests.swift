import HubCore
import HubProtocol
import OfflineCore
import Testing

@Suite("Rules of approval at the hub")
struct ApprovalRulesTests {
    private func mutation(_ type: String, _ payload: JSONValue) -> Mutation {
        Mutation(
            id: "01", sequence: 1, type: type, entity: "order", entityId: "o",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash, dependsOn: [],
            payload: payload)
    }

    private func isMissing(
        _ type: String, _ payload: JSONValue, _ settings: JSONObject = [:], managers: Set<String> = ["m"]
    ) -> Bool {
        let facts = ApprovalFacts(
            settings: StoreSettings(values: settings), managers: managers, hasCashiers: true)
        return ApprovalClaim.claims(of: mutation(type, payload)).contains { $0.isMissing(by: facts) }
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
