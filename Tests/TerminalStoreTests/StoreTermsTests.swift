import HubProtocol
import OfflineCore
import Retail
import Testing

@testable import TerminalStore

@Suite("Prices and listings in the terminal's copy")
struct StoreTermsTests {
    private func change(_ entity: String, _ id: String, _ value: JSONValue?) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: value == nil,
            deletedAt: value == nil ? "2026-11-23T00:00:00.000Z" : nil, hlc: "1", origin: nil, value: value)
    }

    private func article(_ sku: String) -> Change {
        let record = ProductRecord(
            sku: sku, barcode: "b-" + sku, name: "n", department: "d", priceMinor: 100, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: nil)
        return change("product", sku, record.json)
    }

    private func row(_ price: PriceRecord) -> Change { change("price", price.id, price.json) }

    @Test("An article has the price of the moment, without the hub; a withdrawn price is gone")
    func prices() async throws {
        let store = try await StoreFixture()
        let price = PriceRecord(sku: "A", storeId: "S1", priceMinor: 80, startsAt: 50, endsAt: 90)
        let all = PriceRecord(sku: "A", priceMinor: 70, startsAt: 60)
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            ChangePage(
                changes: [article("A"), article("B"), row(price), row(all)], cursor: "1", hasMore: false))
        func sold(at moment: Int64) async throws -> [Int64?] {
            let found = try await SQLiteCatalogue(store.database, now: { moment })
                .products(barcodes: ["b-A", "b-B"])
            return ["b-A", "b-B"].map { found[$0]?.price }
        }
        #expect(try await sold(at: 49) == [100, 100])
        #expect(try await sold(at: 50) == [80, 100])
        #expect(try await sold(at: 89) == [80, 100])
        #expect(try await sold(at: 90) == [70, 100])
        func next(after moment: Int64) async throws -> Int64? {
            try await SQLiteCatalogue(store.database, now: { moment }).priceChange(of: ["A", "B"])
        }
        #expect(try await next(after: 0) == 50)
        #expect(try await next(after: 60) == 90)
        #expect(try await next(after: 90) == nil)
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            ChangePage(changes: [change("price", price.id, nil)], cursor: "2", hasMore: false))
        #expect(try await sold(at: 65) == [70, 100])
    }

    @Test("The store's own count goes before the chain's, less what was sold here since, with its age")
    func stock() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let counted = StockRecord(sku: "S1", storeId: "s", stockMilli: 9_000)
        let row = Change(
            entity: "stock", entityId: counted.id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1790000000123-000001", origin: nil, value: counted.json)
        try await catalogue.apply(ChangePage(changes: [article("S1"), row], cursor: "1", hasMore: false))
        #expect(
            try await catalogue.stock(of: ["S1", "none"])
                == ["S1": StockLevel(milli: 9_000, countedAt: 1_790_000_000_123)])
        #expect(try await catalogue.products(barcodes: ["b-S1"])["b-S1"]?.isCounted == true)
        _ = try await store.sell(1...2)
        #expect(try await catalogue.stock(of: ["S1"])["S1"]?.milli == 5_000)
    }

    @Test("What the store does not list is not found, by scan or search, until it is listed again")
    func listings() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let everywhere = ListingRecord(sku: "A", isListed: false)
        try await catalogue.apply(
            ChangePage(
                changes: [article("A"), article("B"), change("listing", everywhere.id, everywhere.json)],
                cursor: "1", hasMore: false))
        #expect(try await catalogue.products(barcodes: ["b-A", "b-B"]).keys.sorted() == ["b-B"])
        #expect(
            try await SQLiteProductSearch(catalogue).products(matching: "b-", limit: 9).map(\.sku) == ["B"])
        let here = ListingRecord(sku: "A", storeId: "S1", isListed: true)
        try await catalogue.apply(
            ChangePage(changes: [change("listing", here.id, here.json)], cursor: "2", hasMore: false))
        #expect(try await catalogue.products(barcodes: ["b-A"]).count == 1)
    }
}
