internal import DirectSQLite
internal import GRDB
internal import HubProtocol
package import Retail
internal import Synchronization

/// Search over the terminal's copy of the articles.
///
/// The index is built by the first search and again by the first one after the copy has changed; until then
/// it takes no memory. With 100,000 articles it takes about 16 MB.
package final class SQLiteProductSearch: ProductSearching {
    /// Which state of the copy an index is of.
    private struct Edition: Hashable {
        let generation: Int64
        let cursor: String?
    }

    /// Rows that one access to the database reads: sales wait for the same connection.
    private static let rowsAtOnce: Int64 = 2000

    private let catalogue: SQLiteCatalogue
    private let index = Mutex<(edition: Edition, index: ProductIndex)?>(nil)

    /// Makes the search over an open database; reads nothing yet.
    package init(_ catalogue: SQLiteCatalogue) {
        self.catalogue = catalogue
    }

    /// Articles that were withdrawn since the index was built are left out.
    package func products(matching text: String, limit: Int) async throws(CatalogueError) -> [Product] {
        let skus = try await currentIndex().skus(matching: text, limit: limit)
        return try await catalogue.products(skus: skus)
    }

    private func currentIndex() async throws(CatalogueError) -> ProductIndex {
        let edition = try await edition()
        if let held = index.withLock({ $0 }), held.edition == edition { return held.index }
        let built = ProductIndex(try await entries(of: edition.generation))
        index.withLock { $0 = (edition, built) }
        return built
    }

    private func edition() async throws(CatalogueError) -> Edition {
        try await catalogue.database.catalogueRead { connection in
            let feed = try SQLiteCatalogue.feed(in: connection)
            return Edition(generation: feed.current, cursor: feed.currentCursor)
        }
    }

    private static func barcodes(_ text: String?) -> [String] {
        guard let text, let json = try? JSONParser.parse(text.utf8) else { return [] }
        return (json.array ?? []).compactMap(\.string)
    }

    private func entries(of generation: Int64) async throws(CatalogueError) -> [ProductIndex.Entry] {
        var entries: [ProductIndex.Entry] = []
        while true {
            let last = entries.last?.sku ?? ""
            let read = try await catalogue.database.catalogueRead { connection in
                try DirectStatement(
                    """
                    SELECT sku, barcode, name, further_barcodes FROM products WHERE generation = ? AND sku > ?
                    ORDER BY sku LIMIT ?
                    """, in: connection
                ).all({ values in
                    values.add(generation)
                    values.add(last)
                    values.add(Self.rowsAtOnce)
                }) {
                    ProductIndex.Entry(
                        sku: $0.text(0), barcode: $0.text(1), name: $0.text(2),
                        furtherBarcodes: Self.barcodes($0.optionalText(3)))
                }
            }
            entries += read
            guard read.count == Int(Self.rowsAtOnce) else { return entries }
        }
    }
}
