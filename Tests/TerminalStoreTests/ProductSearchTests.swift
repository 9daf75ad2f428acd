import Base
import HubProtocol
import Retail
import Testing

@testable import TerminalStore

@Suite("Search over the articles")
struct ProductSearchTests {
    private static let entries: [ProductIndex.Entry] = [
        .init(sku: "S-1", barcode: "6901", name: "Green Tea"),
        .init(sku: "S-2", barcode: "6902", name: "Teapot"),
        .init(sku: "TEA", barcode: "6903", name: "Kettle"), .init(sku: "S-4", barcode: "6904", name: "龙井茶叶"),
        .init(sku: "S-5", barcode: "69", name: "茶壶"), .init(sku: "S-6", barcode: "6906", name: "ÄPFEL"),
    ]

    private func found(_ text: String, limit: Int = 50) -> [String] {
        ProductIndex(Self.entries).skus(matching: text, limit: limit)
    }

    @Test("An exact SKU or barcode comes first, then names that begin so, then the rest by name")
    func order() {
        #expect(found("tea") == ["TEA", "S-2", "S-1"])
        #expect(found("69") == ["S-5", "S-1", "TEA", "S-2", "S-6", "S-4"])
    }

    @Test("Any part is found in any case, one Chinese character too")
    func parts() {
        #expect(found("EEN T") == ["S-1"])
        #expect(found("茶") == ["S-5", "S-4"])
        #expect(found("井茶") == ["S-4"])
        #expect(found("äpf") == ["S-6"])
        #expect(found("903") == ["TEA"])
        #expect(found("s-") == ["S-1", "S-2", "S-6", "S-5", "S-4"])
    }

    @Test("Words are found in any order, behind what has them as typed, and accents count for nothing")
    func words() {
        #expect(found("tea green") == ["S-1"] && found(" tea  een ") == ["S-1"])
        #expect(found("pot tea s-2") == ["S-2"] && found("green kettle").isEmpty)
        #expect(found("apfel") == ["S-6"] && found("a\u{308}pf") == ["S-6"])
        let entries = [
            ProductIndex.Entry(sku: "1", barcode: "1", name: "Bread rye"),
            ProductIndex.Entry(sku: "2", barcode: "2", name: "Dark rye bread"),
            ProductIndex.Entry(sku: "3", barcode: "3", name: "Cafe\u{301} rye bread"),
        ]
        #expect(ProductIndex(entries).skus(matching: "rye bread", limit: 9) == ["3", "2", "1"])
        #expect(ProductIndex(entries).skus(matching: "café", limit: 9) == ["3"])
    }

    @Test("Nothing spans two fields or two articles, and nothing is found for nothing")
    func structure() {
        #expect(found("6901green").isEmpty)
        #expect(found("\u{1F}").isEmpty && found("\n").isEmpty && found("").isEmpty)
        #expect(found("none").isEmpty)
        #expect(ProductIndex([]).skus(matching: "a", limit: 1).isEmpty)
    }

    @Test("The limit cuts the rest and never the best")
    func limit() {
        #expect(found("tea", limit: 1) == ["TEA"])
        #expect(found("tea", limit: 2) == ["TEA", "S-2"])
    }

    @Test("The index finds what a plain search of each field finds, over seeded catalogues")
    func compared() {
        var random = SplitMix64(seed: 16)
        let alphabet = Array("abAB1茶é")
        func text(_ longest: Int) -> String {
            let count = Int.random(in: 1...longest, using: &random)
            return String((0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] })
        }
        for _ in 0..<200 {
            let entries = (0..<20).map { number in
                ProductIndex.Entry(sku: "k\(number)" + text(3), barcode: text(4), name: text(6))
            }
            let wanted = text(2)
            let plain = entries.filter { entry in
                [entry.sku, entry.barcode, entry.name].contains {
                    let (field, needle) = (Array($0.lowercased().utf8), Array(wanted.lowercased().utf8))
                    return field.indices.contains { field[$0...].starts(with: needle) }
                }
            }
            let found = ProductIndex(entries).skus(matching: wanted, limit: 20)
            #expect(Set(found) == Set(plain.map(\.sku)) && found.count == plain.count)
        }
    }

    @Test("The copy's articles are found, a change of the copy is seen by the next search")
    func copy() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let search = SQLiteProductSearch(catalogue)
        #expect(try await search.products(matching: "tea", limit: 5) == [])
        func change(_ sku: String, _ name: String, deleted: Bool = false) -> Change {
            let record = ProductRecord(
                sku: sku, barcode: "b-" + sku, name: name, department: "", priceMinor: 5, currency: "CNY",
                taxBasisPoints: 0, unit: .milli, stockMilli: nil)
            return Change(
                entity: "product", entityId: sku, version: 1, isDeleted: deleted, deletedAt: nil, hlc: "h",
                origin: nil, value: deleted ? nil : record.json)
        }
        try await catalogue.apply(
            ChangePage(changes: [change("1", "Tea"), change("2", "Teapot")], cursor: "c1", hasMore: false))
        #expect(try await search.products(matching: "TEA", limit: 5).map(\.sku) == ["1", "2"])
        try await catalogue.apply(
            ChangePage(
                changes: [change("1", "Coffee"), change("2", "", deleted: true)], cursor: "c2", hasMore: false
            ))
        #expect(try await search.products(matching: "tea", limit: 5) == [])
        #expect(try await search.products(matching: "off", limit: 5).map(\.barcode) == ["b-1"])
    }
}
