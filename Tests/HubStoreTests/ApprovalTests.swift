import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Approvals that are missing")
struct ApprovalTests {
    private func flags(_ store: TemporaryStore, _ request: IntakeRequest) async throws -> [[JSONValue]] {
        let response = try #require(try await store.take(request))
        return response.results.map { ($0.json["flags"]?.array ?? []).filter { $0 == "approval_missing" } }
    }

    private func void(of sale: Mutation, by till: inout Till, _ people: JSONObject) -> Mutation {
        var payload = people
        payload["orderId"] = sale.payload["orderId"]
        return till.minted("order.voided", .object(payload), dependsOn: [sale.id])
    }

    @Test(
        "Are flagged by the store's people and configuration, and what was done is accepted all the same",
        arguments: StoreKind.all)
    func flagged(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sales = (0..<8).map { _ in till.sale() }
        #expect(try await store.outcomes(till.push(sales)) == Array(repeating: "applied", count: 8))
        // In a store without cashiers no approval is required.
        let first = void(of: sales[0], by: &till, [:])
        #expect(try await flags(store, till.push([first])) == [[]])
        let people = [
            CashierRecord(id: "c1", name: "\"role\":\"manager\"", role: .cashier, pinHash: "$"),
            CashierRecord(id: "m1", name: "Wu", role: .manager, pinHash: "$"),
            CashierRecord(id: "m2", name: "Xu", role: .manager, pinHash: "$"),
        ]
        _ = try await store.ledger.importEntities(people, at: 1)
        let claims: [JSONObject] = [
            [:], ["cashierId": "c1"], ["cashierId": "c1", "approverId": "c1"],
            ["cashierId": "c1", "approverId": "m1"], ["cashierId": "m1"],
            ["cashierId": "c1", "approverId": "gone"],
        ]
        let voids = claims.enumerated().map { void(of: sales[$0.offset + 1], by: &till, $0.element) }
        let missing: [JSONValue] = ["approval_missing"]
        #expect(try await flags(store, till.push(voids)) == [missing, missing, missing, [], [], missing])
        _ = try await store.ledger.changeStoreSettings(["account.approvals": ["refund"]], of: "S1", at: 2)
        #expect(
            try await flags(store, till.push([void(of: sales[7], by: &till, ["cashierId": "c1"])])) == [[]])
        // Another store keeps its own rules.
        var other = Till("T2", store: "S2")
        let sale = other.sale()
        _ = try await store.outcomes(other.push([sale]))
        #expect(
            try await flags(store, other.push([void(of: sale, by: &other, ["cashierId": "c1"])])) == [missing]
        )
    }
}
