import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Coupons at the hub")
struct CouponTests {
    /// A store that knows the coupons A, for two sales, and B, for any number.
    private func opened(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities(
            [Offer.coupon("A", of: "p", uses: 2), Offer.coupon("B", of: "p")], at: 1)
        return store
    }

    private func uses(_ store: TemporaryStore) async throws -> [String: Int64] {
        let coupons = try await store.ledger.entities([EntityKey("coupon", "A"), EntityKey("coupon", "B")])
        return coupons.reduce(into: [:]) { $0[$1.key.id] = $1.value["uses"]?.integer }
    }

    private func flags(_ store: TemporaryStore, _ push: IntakeRequest) async throws -> [JSONValue?] {
        try await store.take(push)?.results.map { $0.json["flags"] } ?? []
    }

    @Test(
        "A sale counts each of its coupons once; what is too much or unknown is flagged",
        arguments: StoreKind.all)
    func sales(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var (till, other) = (Till(), Till("T2", store: "S2"))
        let sale = till.sale(coupons: ["A", "A", 7, "B"])
        #expect(try await flags(store, till.push([sale])) == [[]])
        #expect(try await store.outcomes(till.push([sale])) == ["duplicate"])
        #expect(try await uses(store) == ["A": 1, "B": 1])
        let more = [other.sale(coupons: ["A"]), other.sale(coupons: ["A", "none"]), other.sale()]
        #expect(
            try await flags(store, other.push(more)) == [[], ["coupon_overused", "coupon_unknown"], []])
        #expect(try await uses(store) == ["A": 3, "B": 1])
        let page = try #require(try await store.ledger.changes(after: nil, limit: 9, storeId: "S1"))
        let change = try #require(page.changes.last)
        #expect(change.entityId == "A" && change.version == 4)
        #expect(change.value?["maxUses"] == 2)
        #expect(change.origin?["mutationId"] == .string(more[1].id))
        // An import leaves what sales counted.
        _ = try await store.ledger.importEntities([Offer.coupon("A", of: "p", uses: 9)], at: 5)
        #expect(try await uses(store)["A"] == 3)
    }

    @Test(
        "A void gives the uses back, once, and a sale that is not accepted counts none",
        arguments: StoreKind.all)
    func voids(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let sale = till.sale(coupons: ["A", "B"])
        let rest = till.sale(coupons: ["B"])
        let copy = till.minted("order.completed", rest.payload)
        _ = try await store.take(till.push([sale, rest, copy]))
        #expect(try await uses(store) == ["A": 1, "B": 2])
        let orderId = sale.payload["orderId"] ?? .null
        let (void, again) = (
            till.minted("order.voided", ["orderId": orderId]),
            till.minted("order.voided", ["orderId": orderId])
        )
        let unknown = till.minted("order.voided", ["orderId": "never"])
        #expect(
            try await store.outcomes(till.push([void, again, unknown]))
                == ["applied", "conflict conflict", "applied"])
        #expect(try await uses(store) == ["A": 0, "B": 1])
    }

    @Test(
        "A void in the push of its sale, and one of a sale that was there before the coupon",
        arguments: StoreKind.all)
    func order(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let early = till.sale(coupons: ["A"])
        #expect(try await flags(store, till.push([early])) == [["coupon_unknown"]])
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities([Offer.coupon("A", of: "p")], at: 1)
        let sale = till.sale(coupons: ["A"])
        let voids = [sale, early].map { sale in
            till.minted("order.voided", ["orderId": sale.payload["orderId"] ?? .null])
        }
        #expect(
            try await store.outcomes(till.push([sale] + voids)) == ["applied", "applied", "applied"])
        #expect(try await uses(store) == ["A": 0])
    }

    @Test("A redemption outside of a sale counts one", arguments: StoreKind.all)
    func redeemed(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        let named = till.minted("coupon.redeemed", ["code": "A"], entityId: "x")
        let bare = till.minted("coupon.redeemed", [:], entityId: "A")
        let unknown = till.minted("coupon.redeemed", ["code": "C"])
        #expect(try await flags(store, till.push([named, bare, unknown])) == [[], [], ["coupon_unknown"]])
        #expect(try await uses(store) == ["A": 2, "B": 0])
    }

    @Test("Of a refused push nothing is counted", arguments: StoreKind.all)
    func refused(_ kind: StoreKind) async throws {
        let store = try await opened(kind)
        var till = Till()
        _ = try await store.take(till.push([till.sale(), till.sale()]))
        var clone = Till()
        let fork = clone.sale()
        clone = Till(from: 5)
        let redeemed = clone.minted("coupon.redeemed", ["code": "A"])
        #expect(try await store.outcomes(clone.push([redeemed, fork])) == ["refused"])
        #expect(try await uses(store) == ["A": 0, "B": 0])
    }
}
