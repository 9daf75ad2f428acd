internal import DirectSQLite
internal import GRDB
internal import HubCore

/// The products that a push sells, each read once and written once however many lines name it.
final class SoldProducts {
    struct Listed {
        let product: ListedProduct
        var soldMilli: Int64
    }

    /// Products that were looked at; nil for a sku that is not in the catalogue.
    private var known: [String: Listed?] = [:]
    private var changed: Set<String> = []

    func product(_ sku: String, with statements: PreparedStatements) throws -> Listed? {
        if let listed = known[sku] { return listed }
        let listed = try statements[
            "SELECT price, currency, stock_milli, sold_milli FROM products WHERE sku = ?"
        ].first({ $0.add(sku) }) { row in
            Listed(
                product: ListedProduct(
                    price: row.integer(0), currency: row.text(1), stockMilli: row.optionalInteger(2)),
                soldMilli: row.integer(3))
        }
        known[sku] = .some(listed)
        return listed
    }

    func sell(_ sku: String, upTo soldMilli: Int64) {
        known[sku]??.soldMilli = soldMilli
        changed.insert(sku)
    }

    /// Writes what was sold; the end of the push's transaction.
    func write(with statements: PreparedStatements) throws {
        let update = try statements["UPDATE products SET sold_milli = ? WHERE sku = ?"]
        for sku in changed {
            guard let listed = known[sku] ?? nil else { continue }
            try update.run { row in
                row.add(listed.soldMilli)
                row.add(sku)
            }
        }
        changed = []
    }
}
