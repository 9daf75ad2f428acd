import HubCore
import HubProtocol
import HubStore
import Pricing
import Testing

@Suite("Who gets which cashiers, and what is withdrawn")
struct WithdrawalTests {
    private func cashier(_ id: String, in store: String?) -> CashierRecord {
        CashierRecord(id: id, name: id, role: .cashier, pinHash: "$" + id, storeId: store)
    }

    /// What a terminal of `storeId` reads: ids, with a cross before those that are taken away.
    private func feed(
        _ store: TemporaryStore, _ storeId: String, after cursor: ChangeCursor? = nil
    ) async throws -> [String] {
        try #require(try await store.ledger.changes(after: cursor, limit: 100, storeId: storeId)).changes
            .map { ($0.isDeleted ? "×" : "") + $0.entityId }
    }

    @Test("A store's terminals get its own cashiers and those of every store", arguments: StoreKind.all)
    func scope(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let list = [cashier("one", in: "S1"), cashier("nine", in: "S9"), cashier("all", in: nil)]
        #expect(
            try await store.ledger.importEntities(list, at: 1) == .imported(new: 3, changed: 0, unchanged: 0))
        #expect(
            try await store.ledger.importEntities(list, at: 2) == .imported(new: 0, changed: 0, unchanged: 3))
        #expect(try await feed(store, "S1") == ["one", "all"])
        #expect(try await feed(store, "S9") == ["nine", "all"])
        #expect(try await feed(store, "S2") == ["all"])
        let known = try await store.ledger.entities([EntityKey("cashier", "one")]).values.first
        #expect(try CashierRecord(json: known ?? .null) == list[0])
    }

    @Test(
        "A cashier who moves is taken from the store before, and comes to the next one last",
        arguments: StoreKind.all)
    func moves(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        func move(to place: String?) async throws {
            #expect(
                try await store.ledger.importEntities([cashier("c", in: place)], at: 5)
                    == .imported(new: 0, changed: 1, unchanged: 0))
        }
        _ = try await store.ledger.importEntities([cashier("c", in: nil)], at: 1)
        try await move(to: "S1")
        #expect(try await feed(store, "S1") == ["×c", "c"])
        #expect(try await feed(store, "S9") == ["×c"])
        try await move(to: "S9")
        #expect(try await feed(store, "S1").last == "×c")
        #expect(try await feed(store, "S9") == ["×c", "c"])
        try await move(to: nil)
        for storeId in ["S1", "S2", "S9"] { #expect(try await feed(store, storeId).last == "c") }
    }

    @Test("What is withdrawn leaves a tombstone in the feeds that had it", arguments: StoreKind.all)
    func withdrawn(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.importEntities([cashier("one", in: "S1"), cashier("nine", in: "S9")], at: 1)
        _ = try await ledger.importEntities([Offer.member("m", "Li", phone: "139")], at: 1)
        _ = try await ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await ledger.importEntities([Offer.coupon("A", of: "p")], at: 1)
        let cursor = try #require(try await ledger.changes(after: nil, limit: 100, storeId: "S1")).cursor
        let none: [CashierRecord] = []
        let keys = [
            EntityKey("cashier", "one"), EntityKey("member", "m"), EntityKey("coupon", "A"),
            EntityKey("promotion", "p"), EntityKey("cashier", "nobody"),
        ]
        #expect(
            try await ledger.importEntities(none, withdrawing: keys, at: 9)
                == .imported(new: 0, changed: 0, unchanged: 1, withdrawn: 4))
        #expect(try await feed(store, "S1", after: cursor) == ["×one", "×m", "×A", "×p"])
        #expect(try await feed(store, "S9", after: cursor) == ["×m", "×A", "×p"])
        let page = try #require(try await ledger.changes(after: cursor, limit: 9, storeId: "S1"))
        #expect(page.changes.allSatisfy { $0.value == nil && $0.deletedAt == "1970-01-01T00:00:00.009Z" })
        #expect(try await ledger.entities(keys).isEmpty)
        #expect(try await ledger.members(lookup: "139", limit: 9).isEmpty)
        #expect(
            try await ledger.importEntities(none, withdrawing: keys, at: 10)
                == .imported(new: 0, changed: 0, unchanged: 5))
        // An import brings somebody back.
        #expect(
            try await ledger.importEntities([cashier("one", in: "S1")], at: 11)
                == .imported(new: 1, changed: 0, unchanged: 0))
        #expect(try await feed(store, "S1", after: cursor).last == "one")
    }

    @Test("A record that a file brings and withdraws is refused", arguments: StoreKind.all)
    func both(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let list = [cashier("a", in: nil), cashier("b", in: nil)]
        let outcome = try await store.ledger.importEntities(
            list, withdrawing: [EntityKey("cashier", "b")], at: 1)
        #expect(outcome == .refused([ImportObjection("the cashier \"b\" is in the file twice")]))
        #expect(try await feed(store, "S1").isEmpty)
    }

    private func product(_ sku: String, _ barcode: String) -> ProductRecord {
        ProductRecord(
            sku: sku, barcode: barcode, name: sku, department: "", priceMinor: 100, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: nil)
    }

    @Test("A withdrawn article cannot be found, and its barcode is free at once", arguments: StoreKind.all)
    func products(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.importProducts([product("a", "1"), product("b", "2")], at: 1)
        let cursor = try #require(try await ledger.changes(after: nil, limit: 9, storeId: "S1")).cursor
        #expect(
            try await ledger.importProducts([product("c", "1")], withdrawing: ["a", "none"], at: 2)
                == .imported(new: 1, changed: 0, unchanged: 1, withdrawn: 1))
        #expect(try await ledger.product(barcode: "1")?.sku == "c")
        #expect(Set(try await feed(store, "S2", after: cursor)) == ["×a", "c"])
        #expect(
            try await ledger.importProducts([], withdrawing: ["b"], at: 3)
                == .imported(new: 0, changed: 0, unchanged: 0, withdrawn: 1))
        #expect(try await ledger.product(barcode: "2") == nil)
        guard case .refused = try await ledger.importProducts([product("c", "1")], withdrawing: ["c"], at: 4)
        else {
            Issue.record("an article was brought and withdrawn by one list")
            return
        }
        let page = try #require(try await ledger.changes(after: nil, limit: 9, storeId: "S1"))
        #expect(page.changes.first { $0.entityId == "b" }?.version == 2)
    }
}
