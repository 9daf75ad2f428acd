internal import DirectSQLite
internal import GRDB
internal import HubProtocol
public import Retail

/// The terminal's copy of the articles.
public struct SQLiteCatalogue: Catalogue {
    let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One indexed read for each barcode; of several articles with the same barcode the one with the first
    /// sku counts.
    public func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product] {
        try await database.catalogueRead { connection in
            // Without statistics SQLite estimates that a generation has ten articles and would read them all.
            let statement = try DirectStatement(
                """
                SELECT sku, barcode, name, department, price, currency, tax_basis_points, unit,
                    stock_milli IS NOT NULL
                FROM products INDEXED BY products_barcode
                WHERE generation = (SELECT generation FROM feed) AND barcode = ? ORDER BY sku LIMIT 1
                """, in: connection)
            var found: [String: Product] = [:]
            for barcode in barcodes {
                found[barcode] = try statement.first({ $0.add(barcode) }, Self.product)
            }
            return found
        }
    }

    /// The articles of `skus`, in their order; one that the copy has not is left out.
    func products(skus: [String]) async throws(CatalogueError) -> [Product] {
        try await database.catalogueRead { connection in
            let statement = try DirectStatement(
                """
                SELECT sku, barcode, name, department, price, currency, tax_basis_points, unit,
                    stock_milli IS NOT NULL
                FROM products WHERE generation = (SELECT generation FROM feed) AND sku = ?
                """, in: connection)
            return try skus.compactMap { sku in try statement.first({ $0.add(sku) }, Self.product) }
        }
    }

    /// The currency of any article in use: a catalogue has only one.
    public func currency() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try String.fetchOne(
                connection,
                sql: """
                    SELECT currency FROM feed JOIN products ON products.generation = feed.generation LIMIT 1
                    """)
        }
    }

    /// How many articles the terminal has.
    public func count() async throws(CatalogueError) -> Int {
        try await database.catalogueRead { connection in
            try Int.fetchOne(
                connection,
                sql: "SELECT count(*) FROM products WHERE generation = (SELECT generation FROM feed)") ?? 0
        }
    }

    /// The stock of an article: the hub's last count, changed by the sales and refunds made here without a
    /// result from the hub. Thousandths; nil for an article that is unknown or not counted.
    public func stock(sku: String) async throws(CatalogueError) -> Int64? {
        try await database.catalogueRead { connection in
            let known = try Int64.fetchOne(
                connection,
                sql: """
                    SELECT stock_milli FROM feed JOIN products ON products.generation = feed.generation
                    WHERE sku = ?
                    """, arguments: [sku])
            let moved = try Int64.fetchOne(
                connection,
                sql: """
                    SELECT sum(move.value ->> 2) FROM journal, json_each(stock_moves) AS move
                    WHERE verdict IS NULL AND move.value ->> 1 = ?
                    """, arguments: [sku])
            return known.map { known in
                // The hub's count comes from a peer: at the end of the integers it stays there.
                let (sum, overflows) = known.addingReportingOverflow(moved ?? 0)
                return overflows ? known : sum
            }
        }
    }

    private static func product(_ row: Columns) -> Product {
        Product(
            sku: row.text(0), barcode: row.text(1), name: row.text(2), department: row.text(3),
            price: row.integer(4), currency: row.text(5), taxBasisPoints: row.integer(6),
            isDivisible: row.text(7) == ProductRecord.Unit.milli.rawValue, isCounted: row.integer(8) == 1)
    }
}
