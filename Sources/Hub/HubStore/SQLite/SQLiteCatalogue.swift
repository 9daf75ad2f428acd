internal import HubCore
internal import DirectSQLite
internal import GRDB

/// The queries of an import: each row is found by an index.
struct SQLiteCatalogue: CatalogueReading {
    let db: Database

    func currency() throws -> String? {
        try DirectStatement("SELECT currency FROM products LIMIT 1", in: db).first { $0.text(0) }
    }

    func known(_ skus: [String]) throws -> [String: KnownArticle] {
        let statement = try DirectStatement("SELECT barcode, record FROM products WHERE sku = ?", in: db)
        var known: [String: KnownArticle] = [:]
        for sku in skus {
            known[sku] = try statement.first({ $0.add(sku) }) { row in
                KnownArticle(barcode: row.text(0), record: row.text(1))
            }
        }
        return known
    }

    func owners(of barcodes: [String]) throws -> [String: String] {
        let statement = try DirectStatement("SELECT sku FROM products WHERE barcode = ?", in: db)
        var owners: [String: String] = [:]
        for barcode in barcodes {
            owners[barcode] = try statement.first({ $0.add(barcode) }) { $0.text(0) }
        }
        return owners
    }
}
