import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Carts that were sold twice, at the hub")
struct CartSaleTests {
    private func sale(
        of cart: String?, copiedFrom first: String? = nil, by till: inout Till
    ) -> Mutation {
        var members: JSONObject = [:]
        members["cartId"] = cart.map(JSONValue.string)
        members["copiedFrom"] = first.map(JSONValue.string)
        return till.changed(till.sale(), members)
    }

    /// Which of the sales are flagged.
    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [Bool] {
        try await store.take(push)?.results.map {
            $0.json["flags"]?.array?.contains("cart_sold_twice") == true
        } ?? []
    }

    @Test(
        "The second sale of a cart or of a copy of it is flagged, of a store's own carts",
        arguments: StoreKind.all)
    func twice(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other, foreign) = (Till(), Till("T2"), Till("T3", store: "S9"))
        let first = sale(of: "C1", by: &till)
        let plain = sale(of: nil, by: &till)
        #expect(try await flags(store, till.push([first, plain])) == [false, false])
        #expect(try await store.outcomes(till.push([first])) == ["duplicate"])
        let copies = [
            sale(of: "C2", copiedFrom: "C1", by: &other), sale(of: "C1", by: &other),
            sale(of: "C3", by: &other), sale(of: nil, by: &other),
        ]
        #expect(
            try await flags(store, other.push(copies)) == [true, true, false, false])
        #expect(try await flags(store, foreign.push([sale(of: "C1", by: &foreign)])) == [false])
    }

    @Test("Two copies are a cart sold twice, and a sale that was voided is none", arguments: StoreKind.all)
    func voided(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let first = sale(of: "C2", copiedFrom: "C1", by: &till)
        let void = till.minted("order.voided", ["orderId": first.payload["orderId"] ?? .null])
        let second = sale(of: "C3", copiedFrom: "C1", by: &till)
        let third = sale(of: "C4", copiedFrom: "C1", by: &till)
        let found = try await flags(store, till.push([first, void, second, third]))
        #expect(found == [false, false, false, true])
    }
}
