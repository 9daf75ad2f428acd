import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("The catalogue on disk")
struct SQLiteCatalogueTests {
    private func product(
        _ sku: String, price: Int64 = 100, deleted: Bool = false, stock: Int64? = nil
    ) -> Change {
        let record = ProductRecord(
            sku: sku, barcode: "b-" + sku, name: "Article " + sku, department: "d", priceMinor: price,
            currency: "CNY", taxBasisPoints: 900, unit: .milli, stockMilli: stock)
        return Change(
            entity: "product", entityId: sku, version: 1, isDeleted: deleted, deletedAt: nil, hlc: "h",
            origin: nil, value: deleted ? nil : record.json)
    }

    private func page(_ changes: [Change], _ cursor: String, more: Bool = false) -> ChangePage {
        ChangePage(changes: changes, cursor: cursor, hasMore: more)
    }

    private func prices(_ catalogue: SQLiteCatalogue, _ skus: String...) async throws -> [Int64?] {
        let found = try await catalogue.products(barcodes: Set(skus.map { "b-" + $0 }))
        return skus.map { found["b-" + $0]?.price }
    }

    @Test("a first pull is in use with its last page, changes and tombstones page by page")
    func pull() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        #expect(try await catalogue.cursor() == nil)
        #expect(try await catalogue.currency() == nil)
        try await catalogue.apply(page([product("1"), product("2")], "c1", more: true))
        #expect(try await catalogue.cursor() == "c1")
        #expect(try await prices(catalogue, "1") == [nil])
        try await catalogue.apply(page([product("3")], "c2"))
        #expect(try await prices(catalogue, "1", "2", "3", "4") == [100, 100, 100, nil])
        try await catalogue.apply(
            page([product("1", price: 5), product("2", deleted: true)], "c3", more: true))
        #expect(try await prices(catalogue, "1", "2") == [5, nil])
        #expect(try await catalogue.cursor() == "c3")
        #expect(try await catalogue.currency() == "CNY")
        #expect(try await catalogue.count() == 2)
        let article = try #require(try await catalogue.products(barcodes: ["b-1"])["b-1"])
        #expect(article.isDivisible)
        #expect(!article.isCounted)
    }

    @Test("an open price is kept")
    func openPrice() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let open = ProductRecord(
            sku: "o", barcode: "b-o", name: "Repair", department: "", priceMinor: 0, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: true)
        let change = Change(
            entity: "product", entityId: "o", version: 1, isDeleted: false, deletedAt: nil, hlc: "h",
            origin: nil, value: open.json)
        try await catalogue.apply(page([change, product("1")], "c1"))
        let found = try await catalogue.products(barcodes: ["b-o", "b-1"])
        #expect(found.mapValues(\.hasOpenPrice) == ["b-o": true, "b-1": false])
        #expect(try await catalogue.products(skus: ["o", "1"]).map(\.hasOpenPrice) == [true, false])
    }

    @Test("every barcode of an article finds it, until the article has it no more; search finds all of them")
    func furtherBarcodes() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        func change(_ barcodes: String..., deleted: Bool = false) -> Change {
            let record = ProductRecord(
                sku: "s", barcode: barcodes[0], name: "Tea", department: "", priceMinor: 1, currency: "CNY",
                taxBasisPoints: 0, unit: .each, stockMilli: nil, furtherBarcodes: Array(barcodes.dropFirst()))
            return Change(
                entity: "product", entityId: "s", version: 1, isDeleted: deleted, deletedAt: nil, hlc: "h",
                origin: nil, value: deleted ? nil : record.json)
        }
        func found() async throws -> [String] {
            try await catalogue.products(barcodes: ["690", "691", "692"]).keys.sorted()
        }
        try await catalogue.apply(page([change("690", "691")], "c1"))
        #expect(try await found() == ["690", "691"])
        #expect(try await catalogue.products(barcodes: ["691"])["691"]?.barcode == "690")
        let search = SQLiteProductSearch(catalogue)
        #expect(try await search.products(matching: "691", limit: 5).map(\.sku) == ["s"])
        #expect(try await search.products(matching: "te", limit: 5).map(\.sku) == ["s"])
        try await catalogue.apply(page([change("692", "690")], "c2"))
        #expect(try await found() == ["690", "692"])
        try await catalogue.startAgain()
        try await catalogue.apply(page([change("691")], "n1"))
        #expect(try await found() == ["691"])
        #expect(try await store.number("SELECT count(*) FROM product_barcodes") == 0)
        try await catalogue.apply(page([change("691", deleted: true)], "n2"))
        #expect(try await found() == [])
    }

    @Test("departments are those of the articles in use, once for each tax rate, by name")
    func departments() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        #expect(try await catalogue.departments() == [])
        func change(_ sku: String, _ department: String, tax: Int64) -> Change {
            let record = ProductRecord(
                sku: sku, barcode: sku, name: sku, department: department, priceMinor: 1, currency: "CNY",
                taxBasisPoints: tax, unit: .each, stockMilli: nil)
            return Change(
                entity: "product", entityId: sku, version: 1, isDeleted: false, deletedAt: nil, hlc: "h",
                origin: nil, value: record.json)
        }
        try await catalogue.apply(
            page(
                [
                    change("1", "home", tax: 1900), change("2", "food", tax: 1900),
                    change("3", "food", tax: 700), change("4", "food", tax: 700), change("5", "", tax: 700),
                ], "c1"))
        #expect(
            try await catalogue.departments() == [
                Department(name: "food", taxBasisPoints: 700, currency: "CNY"),
                Department(name: "food", taxBasisPoints: 1900, currency: "CNY"),
                Department(name: "home", taxBasisPoints: 1900, currency: "CNY"),
            ])
        try await catalogue.apply(page([product("1", deleted: true)], "c2"))
        #expect(try await catalogue.departments().count == 2)
    }

    @Test("a fresh generation replaces the old one completely, with its last page and not before")
    func startAgain() async throws {
        let store = try await StoreFixture()
        var catalogue = SQLiteCatalogue(store.database, now: { 0 })
        try await catalogue.apply(page([product("1"), product("2")], "c1"))
        try await catalogue.startAgain()
        #expect(try await catalogue.cursor() == nil)
        try await catalogue.apply(page([product("2", price: 7)], "n1", more: true))
        #expect(try await prices(catalogue, "1", "2") == [100, 100])

        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        catalogue = SQLiteCatalogue(again.database, now: { 0 })
        #expect(try await catalogue.cursor() == "n1")
        try await catalogue.apply(page([product("3", price: 8)], "n2"))
        #expect(try await prices(catalogue, "1", "2", "3") == [nil, 7, 8])
        #expect(try await again.number("SELECT count(*) FROM products") == 2)

        try await catalogue.startAgain()
        try await catalogue.apply(page([product("9")], "x1", more: true))
        try await catalogue.startAgain()
        try await catalogue.apply(page([product("4")], "y1"))
        #expect(try await prices(catalogue, "2", "9", "4") == [nil, nil, 100])
        #expect(try await again.number("SELECT count(*) FROM products") == 1)
    }

    /// Ends every write of the article `sku` with an error from now on, until it is called with nil.
    private func cut(at sku: String?, in store: StoreFixture) async throws {
        try await store.database.access { connection in
            try connection.execute(sql: "DROP TRIGGER IF EXISTS cut")
            guard let sku else { return }
            try connection.execute(
                sql: """
                    CREATE TRIGGER cut BEFORE INSERT ON products WHEN NEW.sku = '\(sku)'
                    BEGIN SELECT RAISE(ABORT, 'cut'); END
                    """)
        }
    }

    @Test("a page that is cut short is pulled again, and leaves nothing in a generation of its own")
    func cutShort() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let articles = (100..<400).map { product("\($0)") }
        try await cut(at: "350", in: store)
        await #expect(throws: CatalogueError.self) { try await catalogue.apply(page(articles, "c1")) }
        #expect(try await catalogue.cursor() == nil)
        #expect(try await prices(catalogue, "100") == [nil])
        #expect(try await store.number("SELECT count(*) FROM products") == 200)
        try await cut(at: nil, in: store)
        // The hub has dropped an article meanwhile, and a pull without a cursor does not name it.
        try await catalogue.apply(page(Array(articles.dropFirst()), "c2"))
        #expect(try await prices(catalogue, "100", "101", "399") == [nil, 100, 100])
        #expect(try await store.number("SELECT count(*) FROM products") == 299)

        let changed = (100..<400).map { product("\($0)", price: 7) }
        try await cut(at: "350", in: store)
        await #expect(throws: CatalogueError.self) { try await catalogue.apply(page(changed, "c3")) }
        #expect(try await catalogue.cursor() == "c2")
        #expect(try await prices(catalogue, "100", "399") == [7, 100])
        try await cut(at: nil, in: store)
        try await catalogue.apply(page(changed, "c3"))
        #expect(try await catalogue.cursor() == "c3")
        #expect(try await prices(catalogue, "100", "399") == [7, 7])
    }

    @Test("a page of a generation that was given up meanwhile moves no cursor")
    func givenUp() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        try await catalogue.apply(page([product("1")], "c1"))
        try await catalogue.startAgain()
        try await store.database.access { connection in
            try connection.execute(
                sql: """
                    CREATE TRIGGER anew AFTER INSERT ON products WHEN NEW.sku = '2'
                    BEGIN UPDATE feed SET next_generation = next_generation + 1, next_cursor = NULL; END
                    """)
        }
        await #expect(throws: CatalogueError.self) {
            try await catalogue.apply(page([product("2")], "n1", more: true))
        }
        #expect(try await catalogue.cursor() == nil)
        try await store.database.access { try $0.execute(sql: "DROP TRIGGER anew") }
        try await catalogue.apply(page([product("3")], "n2"))
        #expect(try await prices(catalogue, "1", "2", "3") == [nil, nil, 100])
        #expect(try await store.number("SELECT count(*) FROM products") == 1)
    }

    @Test("one article that cannot be read is named and does not stop the others")
    func unreadable() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let corrupt = Change(
            entity: "product", entityId: "bad", version: 1, isDeleted: false, deletedAt: nil, hlc: "h",
            origin: nil, value: ["sku": "bad", "priceMinor": -1])
        #expect(try await catalogue.apply(page([product("1"), corrupt, product("2")], "c1")) == ["bad"])
        #expect(try await prices(catalogue, "1", "2") == [100, 100])
    }

    @Test("other entities of the feed are kept as received")
    func otherEntities() async throws {
        let store = try await StoreFixture()
        let config = Change(
            entity: "storeConfig", entityId: "north-7", version: 3, isDeleted: false, deletedAt: nil,
            hlc: "h", origin: nil, value: ["t1Seconds": 9])
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(page([config], "c1"))
        #expect(try await store.number("SELECT count(*) FROM feed_entities WHERE version = 3") == 1)
    }

    @Test("members and entities that this version does not use are kept with their origin, and sell nothing")
    func members() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        func change(_ entity: String, _ version: Int64, _ value: JSONValue?) -> Change {
            Change(
                entity: entity, entityId: "M", version: version, isDeleted: value == nil, deletedAt: nil,
                hlc: "h", origin: ["terminalId": "t", "mutationId": "own"], value: value)
        }
        let entities = [
            change("member", 1, ["name": "Li", "points": 5]), change("loyaltyTier", 1, ["a": [1]]),
            change("member", 2, ["name": "Li", "points": -3]), change("loyaltyTier", 2, nil),
        ]
        let page = ChangePage(changes: entities, cursor: "c", hasMore: false)
        #expect(try await catalogue.apply(page) == [])
        #expect(try await catalogue.cursor() == "c")
        let kept = "SELECT count(*) FROM feed_entities WHERE origin = 'own' AND version = 2 AND "
        let member = "entity = 'member' AND value = '{\"name\":\"Li\",\"points\":-3}'"
        #expect(try await store.number(kept + member) == 1)
        #expect(try await store.number(kept + "entity = 'loyaltyTier' AND value IS NULL") == 1)
        #expect(try await store.number("SELECT count(*) FROM feed_entities") == 2)
        #expect(try await SQLiteNotes(store.database).list() == [])
    }

    @Test("the stock is the hub's count less the sales that the hub does not have yet")
    func stock() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        try await catalogue.apply(page([product("S1", stock: 10_000), product("S2")], "c1"))
        let id = try await store.sell(1...2)[0].mutationId
        #expect(try await catalogue.stock(of: ["S1"])["S1"]?.milli == 6000)
        #expect(try await catalogue.stock(of: ["S2"]) == [:])
        try await SQLiteOutbox(store.database).record(
            [PushResult(id: id, outcome: .applied, document: "{}")], acknowledgedThrough: 1)
        try await catalogue.apply(page([product("S1", stock: 8000)], "c2"))
        #expect(try await catalogue.stock(of: ["S1"])["S1"]?.milli == 6000)
    }
}
