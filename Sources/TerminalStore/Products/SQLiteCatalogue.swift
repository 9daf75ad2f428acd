internal import GRDB
internal import HubProtocol
public import Retail

/// The terminal's copy of the articles.
public struct SQLiteCatalogue: Catalogue {
    let database: TerminalDatabase

    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    public func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product] {
        try await database.catalogueRead { connection in
            let statement = try connection.cachedStatement(
                sql: """
                    SELECT products.* FROM feed JOIN products ON products.generation = feed.generation
                    WHERE barcode = ? ORDER BY sku LIMIT 1
                    """)
            var found: [String: Product] = [:]
            for barcode in barcodes {
                guard let row = try Row.fetchOne(statement, arguments: [barcode]) else { continue }
                found[barcode] = Self.product(row)
            }
            return found
        }
    }

    public func currency() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try String.fetchOne(
                connection,
                sql: """
                    SELECT currency FROM feed JOIN products ON products.generation = feed.generation LIMIT 1
                    """)
        }
    }

    /// How many articles the till knows.
    public func count() async throws(CatalogueError) -> Int {
        try await database.catalogueRead { connection in
            try Int.fetchOne(
                connection,
                sql: "SELECT count(*) FROM products WHERE generation = (SELECT generation FROM feed)") ?? 0
        }
    }

    /// The stock of an article: the hub's last word and what was sold and taken back here since without its
    /// verdict. Thousandths; nil for an article that is unknown or not counted.
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
                    SELECT sum(delta_milli) FROM journal JOIN stock_moves USING (sequence)
                    WHERE verdict IS NULL AND sku = ?
                    """, arguments: [sku])
            return known.map { $0 + (moved ?? 0) }
        }
    }

    private static func product(_ row: Row) -> Product {
        Product(
            sku: row["sku"], barcode: row["barcode"], name: row["name"],
            department: row["department"], price: row["price"], currency: row["currency"],
            taxBasisPoints: row["tax_basis_points"],
            isDivisible: (row["unit"] as String) == ProductRecord.Unit.milli.rawValue,
            isCounted: (row["stock_milli"] as Int64?) != nil)
    }
}
