internal import Credentials
internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import Retail

/// The rows that a change of the feed writes.
extension SQLiteCatalogue {
    /// - Returns: false for a product that cannot be read.
    static func write(
        _ change: Change, generation: Int64, sealedWith secret: DeviceSecret, in connection: Database
    ) throws -> Bool {
        guard change.entity == "product" else {
            try writeEntity(change, generation: generation, sealedWith: secret, in: connection)
            return true
        }
        guard !change.isDeleted else {
            try DirectStatement("DELETE FROM products WHERE generation = ? AND sku = ?", in: connection).run {
                $0.add(generation)
                $0.add(change.entityId)
            }
            return true
        }
        guard let value = change.value, let product = try? ProductRecord(json: value) else { return false }
        let insertion = try DirectStatement(
            """
            INSERT OR REPLACE INTO products (generation, sku, barcode, name, department, price, currency,
                tax_basis_points, unit, stock_milli)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: connection)
        try insertion.run { row in
            row.add(generation)
            row.add(product.sku)
            row.add(product.barcode)
            row.add(product.name)
            row.add(product.department)
            row.add(product.priceMinor)
            row.add(product.currency)
            row.add(product.taxBasisPoints)
            row.add(product.unit.rawValue)
            row.add(product.stockMilli)
        }
        return true
    }

    /// Everything else is kept as received, cashiers without the hub's verifier of their PINs, deletions as
    /// tombstones.
    private static func writeEntity(
        _ change: Change, generation: Int64, sealedWith secret: DeviceSecret, in connection: Database
    ) throws {
        let value =
            change.entity == "cashier"
            ? change.value.map { CashierSealing.sealed($0, with: secret) } : change.value
        let insertion = try DirectStatement(
            """
            INSERT OR REPLACE INTO feed_entities (generation, entity, entity_id, version, value,
                deleted_at, hlc, origin, lookup)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: connection)
        try insertion.run { row in
            row.add(generation)
            row.add(change.entity)
            row.add(change.entityId)
            row.add(change.version)
            row.add(change.isDeleted ? nil : value?.canonicalText)
            row.add(change.deletedAt)
            row.add(change.hlc)
            row.add(change.origin?["mutationId"]?.string)
            row.add(lookup(of: change))
        }
    }

    /// What a member is found by: the digest that the hub sends, or of a hub of before the phone's digits;
    /// nil for everything else.
    private static func lookup(of change: Change) -> String? {
        guard change.entity == "member", !change.isDeleted, let phone = change.value?["phone"]?.string else {
            return nil
        }
        return LookupKey.isDigest(phone) ? phone : MemberRecord.lookupDigits(of: phone)
    }
}
