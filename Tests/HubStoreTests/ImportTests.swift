import GRDB
import GRDBSQLite
import HubCore
import HubProtocol
import HubStore
import Testing

@testable import HubStoreSQLite

@Suite("An import of articles")
struct ImportTests {
    private func article(_ sku: Int, barcode: Int? = nil, price: Int64 = 100, stock: Int64? = nil)
        -> ProductRecord
    {
        ProductRecord(
            sku: "s\(sku)", barcode: "b\(barcode ?? sku)", name: "Article \(sku)", department: "",
            priceMinor: price, currency: "CNY", taxBasisPoints: 0, unit: .each, stockMilli: stock)
    }

    private func article(_ sku: Int, barcodes: [String]) -> ProductRecord {
        ProductRecord(
            sku: "s\(sku)", barcode: barcodes[0], name: "Article \(sku)", department: "", priceMinor: 100,
            currency: "CNY", taxBasisPoints: 0, unit: .each, stockMilli: nil,
            furtherBarcodes: Array(barcodes.dropFirst()))
    }

    @Test("gives an article several barcodes, of which no other may have one", arguments: StoreKind.all)
    func severalBarcodes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        func owners(_ codes: String...) async throws -> [String?] {
            var skus: [String?] = []
            for code in codes { skus.append(try await ledger.product(barcode: code)?.sku) }
            return skus
        }
        let first = [article(1, barcodes: ["a", "b", "c"]), article(2, barcodes: ["d", "e"])]
        #expect(try await ledger.importProducts(first, at: 1) == .imported(new: 2, changed: 0, unchanged: 0))
        #expect(try await ledger.importProducts(first, at: 2) == .imported(new: 0, changed: 0, unchanged: 2))
        #expect(try await owners("a", "b", "c", "d", "e") == ["s1", "s1", "s1", "s2", "s2"])
        for codes in [["b"], ["x", "c"], ["x", "d"], ["e"]] {
            guard
                case .refused(let reasons) = try await ledger.importProducts(
                    [article(3, barcodes: codes)], at: 3)
            else {
                Issue.record("\(codes) were imported")
                continue
            }
            #expect("\(reasons)".contains("belongs to the sku") && "\(reasons)".contains("s3"), "\(reasons)")
        }
        let swapped = [article(1, barcodes: ["e", "d"]), article(2, barcodes: ["b", "a"])]
        #expect(
            try await ledger.importProducts(swapped, at: 4) == .imported(new: 0, changed: 2, unchanged: 0))
        #expect(try await owners("a", "b", "c", "d", "e") == ["s2", "s2", nil, "s1", "s1"])
        _ = try await ledger.importProducts([article(3, barcodes: ["x", "c"])], withdrawing: ["s1"], at: 5)
        #expect(try await owners("c", "d", "e") == ["s3", nil, nil])
        #expect(
            try await ledger.importProducts([article(4, barcodes: ["d", "e"])], at: 6)
                == .imported(new: 1, changed: 0, unchanged: 0))
        withExtendedLifetime(store) {}
    }

    @Test("takes a GTIN for one article, with or without zeros in front", arguments: StoreKind.all)
    func tradeItems(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let (long, short) = ("0036000291452", "036000291452")
        let both = [article(1, barcodes: [long]), article(2, barcodes: [short])]
        guard case .refused = try await store.ledger.importProducts(both, at: 1) else {
            Issue.record("two articles have one number")
            return
        }
        _ = try await store.ledger.importProducts([both[0]], at: 1)
        guard case .refused(let reasons) = try await store.ledger.importProducts([both[1]], at: 2) else {
            Issue.record("a second article has the number")
            return
        }
        #expect("\(reasons)".contains("belongs to the sku \\\"s1"), "\(reasons)")
        // The same article may be written otherwise.
        let again = [article(1, barcodes: [short, long])]
        #expect(
            try await store.ledger.importProducts(again, at: 3) == .imported(new: 0, changed: 1, unchanged: 0)
        )
    }

    @Test(
        "of more than one portion is accepted completely, in its order, with a version each",
        arguments: StoreKind.all)
    func portions(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let list = (0..<4_100).map { article($0) }
        #expect(
            try await ledger.importProducts(list, at: 1) == .imported(new: 4_100, changed: 0, unchanged: 0))
        // Every barcode goes to the next article, over the portions' borders.
        let turned = (0..<4_100).map { article($0, barcode: ($0 + 1) % 4_100) }
        #expect(
            try await ledger.importProducts(turned, at: 2) == .imported(new: 0, changed: 4_100, unchanged: 0))
        #expect(try await ledger.product(barcode: "b0")?.sku == "s4099")
        let page = try #require(try await ledger.changes(after: nil, limit: 5_000, storeId: "S1"))
        #expect(page.changes.map(\.entityId) == turned.map(\.sku))
        #expect(page.changes.allSatisfy { $0.version == 2 })
        #expect(zip(page.changes, page.changes.dropFirst()).allSatisfy { $0.hlc < $1.hlc })
        #expect(
            try await ledger.importProducts(turned, at: 3) == .imported(new: 0, changed: 0, unchanged: 4_100))
        #expect(try await ledger.changes(after: page.cursor, limit: 9, storeId: "S1")?.changes == [])
    }

    @Test("is refused with the reason, and leaves nothing behind", arguments: StoreKind.all)
    func refused(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.importProducts([article(1), article(2)], at: 1)
        let dollars = ProductRecord(
            sku: "s9", barcode: "b9", name: "Nine", department: "", priceMinor: 1, currency: "USD",
            taxBasisPoints: 0, unit: .each, stockMilli: nil)
        let (second, third, currency) = (
            "the barcode \"b2\" belongs to the sku \"s2\", and ",
            "the barcode \"b3\" belongs to the sku \"s3\", and \"s4\" has it too",
            "the catalogue is in CNY, the sku \"s9\" in USD"
        )
        let lists = [
            ([article(3), article(4, barcode: 2)], [second + "\"s4\" has it too"]),
            ([article(3), article(4, barcode: 3)], [third]),
            ([article(3), dollars], [currency]),
            (
                [article(3), article(4, barcode: 3), dollars, article(5, barcode: 2)],
                [third, currency, second + "\"s5\" has it too"]
            ),
        ]
        for (list, words) in lists {
            let objections = zip(words, 1...).map { ImportObjection($0, place: $1) }
            #expect(try await ledger.importProducts(list, at: 2) == .refused(objections))
        }
        #expect(try await ledger.changes(after: nil, limit: 9, storeId: "S1")?.changes.count == 2)
        #expect(try await ledger.product(barcode: "b3") == nil)
    }

    @Test(
        "takes a barcode that its list takes off another article, and a sku as it stands last",
        arguments: StoreKind.all)
    func givenUp(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.importProducts([article(1)], at: 1)
        let list = [article(2, barcode: 1), article(1, barcode: 7), article(2, barcode: 1, price: 5)]
        #expect(try await ledger.importProducts(list, at: 2) == .imported(new: 1, changed: 1, unchanged: 0))
        #expect(try await ledger.product(barcode: "b1")?.priceMinor == 5)
        #expect(try await ledger.product(barcode: "b7")?.sku == "s1")
    }

    @Test("keeps what was sold until the stock is counted anew", arguments: StoreKind.all)
    func sold(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        func tea(price: Int64, stock: Int64) -> ProductRecord {
            ProductRecord(
                sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: price, currency: "CNY",
                taxBasisPoints: 0, unit: .each, stockMilli: stock)
        }
        var till = Till()
        func flags(_ push: IntakeRequest) async throws -> [String] {
            let flags = try await store.take(push)?.results.first?.json["flags"]?.array ?? []
            return flags.compactMap(\.string).filter { $0 == "stock_negative" }
        }
        _ = try await store.ledger.importProducts([tea(price: 1, stock: 1_500)], at: 1)
        #expect(try await flags(till.push([till.sale()])) == [])
        _ = try await store.ledger.importProducts([tea(price: 2, stock: 1_500)], at: 2)
        #expect(try await flags(till.push([till.sale()])) == ["stock_negative"])
        _ = try await store.ledger.importProducts([tea(price: 2, stock: 1_400)], at: 3)
        #expect(try await flags(till.push([till.sale()])) == [])
    }

    @Test("costs each article the same, however many are known")
    func linear() throws {
        let few = try steps(of: (0..<100).map { article($0, price: 7) }, beside: 100)
        let many = try steps(of: (0..<100).map { article($0, price: 7) }, beside: 6_000)
        #expect(few > 1_000)
        #expect(many < few * 3 / 2)
    }

    /// How many steps SQLite's machine does for a list, in a catalogue of so many articles.
    private func steps(of list: [ProductRecord], beside known: Int) throws -> Int {
        try DatabaseQueue().writeWithoutTransaction { db in
            try SQLiteSchema.ledger.migrate(db)
            _ = try take((0..<known).map { article($0) }, in: db)
            return try take(list, in: db)
        }
    }

    /// Takes a list in and gives the steps that its statements did.
    private func take(_ products: [ProductRecord], in db: Database) throws -> Int {
        _ = Self.takenSteps(of: db)
        let plan = try ImportPlan(ImportList(products), beside: SQLiteCatalogue(db: db))
        #expect(plan.objection == nil)
        // The library lets go of its statements when a table is made.
        let queried = Self.takenSteps(of: db)
        var clock = HybridLogicalClock()
        try db.inTransaction {
            try SQLiteImport.begin(in: db)
            try SQLiteImport.lay(DatedArticle.all(plan.written, at: 1, from: &clock), in: db)
            try SQLiteImport.lay(freed: plan.freed, in: db)
            try SQLiteImport.take(in: db)
            return .commit
        }
        return queried + Self.takenSteps(of: db)
    }

    /// What all prepared statements of the connection did since the last call.
    private static func takenSteps(of db: Database) -> Int {
        var (sum, statement) = (0, sqlite3_next_stmt(db.sqliteConnection, nil))
        while let one = statement {
            sum += Int(sqlite3_stmt_status(one, SQLITE_STMTSTATUS_VM_STEP, 1))
            statement = sqlite3_next_stmt(db.sqliteConnection, one)
        }
        return sum
    }
}
