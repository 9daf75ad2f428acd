import Base
import HubCore
import HubProtocol
import HubStore
import Pricing
import Testing

/// What is of one store reaches that store's terminals, and no other ones.
@Suite("Prices, listings and promotions of stores")
struct StorePricesTests {
    /// What a terminal made of its feed.
    private struct Copy {
        var cursor: ChangeCursor?
        var values: [EntityKey: JSONValue] = [:]

        mutating func pull(from store: TemporaryStore, _ storeId: String, schema: Int64 = 4) async throws {
            while true {
                let page = try #require(
                    try await FeedView(ledger: store.ledger).page(
                        after: cursor, limit: 7, storeId: storeId, schema: schema, at: 9))
                for change in page.changes {
                    values[EntityKey(change.entity, change.entityId)] = change.isDeleted ? nil : change.value
                }
                cursor = page.cursor
                guard page.hasMore else { return }
            }
        }

        var stock: [Int64] { values.values.compactMap { try? StockRecord(json: $0).stockMilli } }

        func prices() -> [PriceRecord] { values.values.compactMap { try? PriceRecord(json: $0) } }
    }

    private static let stores = ["S1", "S2", "S3"]

    @Test(
        "However imports, moves and withdrawals follow, each store has what is its own or of all",
        arguments: StoreKind.all, [UInt64(1), 2, 3])
    func property(_ kind: StoreKind, seed: UInt64) async throws {
        let store = try TemporaryStore(kind)
        var random = SplitMix64(seed: seed)
        var copies = Dictionary(uniqueKeysWithValues: Self.stores.map { ($0, Copy()) })
        var prices: [String: PriceRecord] = [:]
        var promotions: [String: Promotion] = [:]
        for step in 0..<40 {
            let audience: String? = [nil, "S1", "S2", "S3"].randomElement(using: &random) ?? nil
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let price = PriceRecord(
                    sku: "A\(Int.random(in: 0..<3, using: &random))", storeId: audience,
                    priceMinor: Int64(step), startsAt: Bool.random(using: &random) ? 1_000 : 2_000)
                prices[price.id] = price
                _ = try await store.ledger.importEntities([price], at: Int64(step))
            case 2:
                // The same promotion moves from store to store.
                let promotion = Promotion(
                    id: "P\(Int.random(in: 0..<2, using: &random))", name: "n",
                    reduction: .amount(Int64(step + 1)),
                    sku: nil, department: nil, minimumQuantityMilli: 0, startsAt: nil, endsAt: nil,
                    worksOffline: true, needsCoupon: false, storeId: audience)
                promotions[promotion.id] = promotion
                _ = try await store.ledger.importEntities([promotion], at: Int64(step))
            case _:
                guard let gone = prices.keys.sorted().randomElement(using: &random) else { continue }
                prices[gone] = nil
                let none: [PriceRecord] = []
                _ = try await store.ledger.importEntities(
                    none, withdrawing: [EntityKey("price", gone)], at: Int64(step))
            }
            guard Int.random(in: 0..<3, using: &random) == 0 || step == 39 else { continue }
            for storeId in Self.stores {
                try await copies[storeId]?.pull(from: store, storeId)
                let wanted = prices.values.filter { ($0.storeId ?? storeId) == storeId }
                #expect(Set(copies[storeId]?.prices() ?? []) == Set(wanted), "\(storeId), step \(step)")
                let given = copies[storeId]?.values.filter { $0.key.entity == "promotion" }.map(\.key.id)
                let owned = promotions.values.filter { ($0.storeId ?? storeId) == storeId }.map(\.id)
                #expect(given?.sorted() == owned.sorted(), "\(storeId), step \(step)")
            }
        }
    }

    @Test(
        "A terminal of an earlier schema gets neither prices nor listings, and begins anew with this one",
        arguments: StoreKind.all)
    func earlierSchema(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let price = PriceRecord(sku: "A", storeId: "S1", priceMinor: 5)
        _ = try await store.ledger.importEntities([price], at: 1)
        _ = try await store.ledger.importEntities([ListingRecord(sku: "A", isListed: false)], at: 1)
        var earlier = Copy()
        try await earlier.pull(from: store, "S1", schema: 3)
        #expect(!earlier.values.keys.contains { ["price", "listing"].contains($0.entity) })
        let refused = try await FeedView(ledger: store.ledger).page(
            after: earlier.cursor, limit: 7, storeId: "S1", schema: 4, at: 9)
        #expect(refused == nil)
        var updated = Copy()
        try await updated.pull(from: store, "S1")
        #expect(updated.prices() == [price])
        let values = try await store.ledger.entities(ofKind: "listing", about: ["A", "B"], for: "S2")
        #expect(values == [ListingRecord(sku: "A", isListed: false).json])
        #expect(try await store.ledger.entities(ofKind: "price", about: ["A"], for: "S2").isEmpty)
    }

    @Test(
        "A store's own stock follows its sales and refunds, and reaches its terminals; others share theirs",
        arguments: StoreKind.all)
    func stock(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let article = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 1250, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: 1_000)
        _ = try await store.ledger.importProducts([article], at: 1)
        let counted = StockRecord(sku: "tea", storeId: "S1", stockMilli: 2_500)
        _ = try await store.ledger.importEntities([counted], at: 1)
        var till = Till()
        var copy = Copy()
        func flags(_ mutation: Mutation) async throws -> [String] {
            let response = try await store.take(till.push([mutation]))
            return (response?.results.first?.json["flags"]?.array ?? []).compactMap(\.string)
        }
        let first = till.sale()
        #expect(try await flags(first) == [])
        try await copy.pull(from: store, "S1")
        #expect(copy.stock == [1_500])
        // Again the same: what was counted once stays so.
        _ = try await store.take(till.push([first]))
        try await copy.pull(from: store, "S1")
        #expect(copy.stock == [1_500])
        #expect(try await flags(till.sale()) == [])
        #expect(try await flags(till.sale()) == ["stock_negative"])
        try await copy.pull(from: store, "S1")
        #expect(copy.stock == [-500])
        let back = till.minted(
            "order.voided",
            [
                "orderId": first.payload["orderId"] ?? .null,
                "lines": [["sku": "tea", "quantityMilli": 1000]],
            ], dependsOn: [first.id])
        #expect(try await flags(back) == [])
        try await copy.pull(from: store, "S1")
        #expect(copy.stock == [500])
        // The stock that all stores share is as it was.
        func rows(after place: [String]) async throws -> [StoreRow] {
            let page = BackOfficeQuery.Page(SalesFilter(), after: place, limit: 10)
            return try await store.ledger.rows(of: BackOfficeQuery.stock(page))
        }
        let all = try await rows(after: [])
        #expect(all.map { $0.text("store_id") } == ["", "S1"])
        #expect(all.first?.integer("stock") == 1_000)
        #expect(try await rows(after: ["", "/tea"]).map { $0.text("store_id") } == ["S1"])
    }

    @Test(
        "A sale at its store's price of that time is not flagged, any other one is", arguments: StoreKind.all)
    func flags(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let article = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 900, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: nil)
        _ = try await store.ledger.importProducts([article], at: 1)
        var till = Till()
        func flags(_ price: Int64) async throws -> [String] {
            let response = try await store.take(till.push([till.sale(price: price)]))
            return (response?.results.first?.json["flags"]?.array ?? []).compactMap(\.string)
        }
        #expect(try await flags(900) == [])
        #expect(try await flags(700) == ["price_differs"])
        let own = PriceRecord(sku: "tea", storeId: "S1", priceMinor: 700)
        let other = PriceRecord(sku: "tea", storeId: "S2", priceMinor: 600)
        _ = try await store.ledger.importEntities([own, other], at: 1)
        #expect(try await flags(700) == [])
        #expect(try await flags(900) == ["price_differs"])
        #expect(try await flags(600) == ["price_differs"])
    }
}
