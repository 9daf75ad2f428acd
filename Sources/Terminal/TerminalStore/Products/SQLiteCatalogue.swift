package import Retail

internal import Credentials
internal import DirectSQLite
internal import GRDB
internal import HubProtocol

/// The terminal's copy of the articles.
package struct SQLiteCatalogue: Catalogue {
    let database: TerminalDatabase
    /// Unix milliseconds.
    private let now: @Sendable () -> Int64

    /// Makes the access to an open database; reads nothing yet.
    ///
    /// - Parameter now: Unix milliseconds, for prices that begin and end.
    package init(_ database: TerminalDatabase, now: @escaping @Sendable () -> Int64) {
        self.database = database
        self.now = now
    }

    /// One indexed read for each barcode, at the price of this moment; of several articles with the same
    /// barcode the one with the first sku counts. What this store does not sell is left out.
    package func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product] {
        try await database.catalogueRead { [moment = now()] connection in
            // Without statistics SQLite estimates that a generation has ten articles and would read them all.
            let statement = try DirectStatement(
                """
                SELECT sku, barcode, name, department, price, currency, tax_basis_points, unit,
                    stock_milli IS NOT NULL, open_price IS NOT NULL
                FROM products INDEXED BY products_barcode
                WHERE generation = (SELECT generation FROM feed) AND barcode = ? ORDER BY sku LIMIT 1
                """, in: connection)
            let further = try DirectStatement(
                """
                SELECT sku, products.barcode, name, department, price, currency, tax_basis_points, unit,
                    stock_milli IS NOT NULL, open_price IS NOT NULL
                FROM product_barcodes AS further JOIN products USING (generation, sku)
                WHERE generation = (SELECT generation FROM feed) AND further.barcode = ? ORDER BY sku LIMIT 1
                """, in: connection)
            let terms = try StoreTerms(in: connection)
            var found: [String: Product] = [:]
            for barcode in barcodes {
                let product =
                    try statement.first({ $0.add(barcode) }, Self.product)
                    ?? further.first({ $0.add(barcode) }, Self.product)
                found[barcode] = try product.flatMap { try terms.applied(to: $0, at: moment) }
            }
            return found
        }
    }

    /// The articles of `skus`, in their order; one that the copy has not is left out.
    func products(skus: [String]) async throws(CatalogueError) -> [Product] {
        try await database.catalogueRead { [moment = now()] connection in
            let statement = try DirectStatement(
                """
                SELECT sku, barcode, name, department, price, currency, tax_basis_points, unit,
                    stock_milli IS NOT NULL, open_price IS NOT NULL
                FROM products WHERE generation = (SELECT generation FROM feed) AND sku = ?
                """, in: connection)
            let terms = try StoreTerms(in: connection)
            return try skus.compactMap { sku in
                try statement.first({ $0.add(sku) }, Self.product)
                    .flatMap { try terms.applied(to: $0, at: moment) }
            }
        }
    }

    /// Reads the prices of `skus`, one index look-up each.
    package func priceChange(of skus: Set<String>) async throws(CatalogueError) -> Int64? {
        try await database.catalogueRead { [moment = now()] connection in
            let terms = try StoreTerms(in: connection)
            return try skus.compactMap { try terms.nextChange(of: $0, after: moment) }.min()
        }
    }

    /// Reads every article: departments are chosen once in a while, and an index for it would cost each
    /// change of an article.
    package func departments() async throws(CatalogueError) -> [Department] {
        try await database.catalogueRead { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT DISTINCT department, tax_basis_points, currency
                    FROM products WHERE generation = (SELECT generation FROM feed) AND department <> ''
                    ORDER BY department, tax_basis_points, currency
                    """
            ).map { row in
                Department(
                    name: row["department"], taxBasisPoints: row["tax_basis_points"],
                    currency: row["currency"])
            }
        }
    }

    /// The currency of any article in use: a catalogue has only one.
    package func currency() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try String.fetchOne(
                connection,
                sql: """
                    SELECT currency FROM feed JOIN products ON products.generation = feed.generation LIMIT 1
                    """)
        }
    }

    /// How many articles the terminal has.
    package func count() async throws(CatalogueError) -> Int {
        try await database.catalogueRead { connection in
            try Int.fetchOne(
                connection,
                sql: "SELECT count(*) FROM products WHERE generation = (SELECT generation FROM feed)") ?? 0
        }
    }

    /// The hub's last count for this store, else for all stores, changed by the sales and refunds made here
    /// without a result from the hub. Pending entries are read once, however many articles are wanted.
    package func stock(of skus: Set<String>) async throws(CatalogueError) -> [String: StockLevel] {
        try await database.catalogueRead { connection in
            let terms = try StoreTerms(in: connection)
            let chain = try DirectStatement(
                "SELECT stock_milli FROM products WHERE generation = (SELECT generation FROM feed) AND sku = ?",
                in: connection)
            var levels: [String: StockLevel] = [:]
            for sku in skus {
                let all = try chain.first({ $0.add(sku) }) { $0.optionalInteger(0) } ?? nil
                levels[sku] = try terms.stock(of: sku) ?? all.map { StockLevel(milli: $0, countedAt: nil) }
            }
            guard !levels.isEmpty else { return levels }
            let moves = try DirectStatement(
                """
                SELECT move.value ->> 1, sum(move.value ->> 2) FROM journal, json_each(stock_moves) AS move
                WHERE verdict IS NULL GROUP BY 1
                """, in: connection
            ).all({ _ in }) { ($0.text(0), $0.integer(1)) }
            for (sku, moved) in moves {
                guard let level = levels[sku] else { continue }
                // The hub's count comes from a peer: at the end of the integers it stays there.
                let (sum, overflows) = level.milli.addingReportingOverflow(moved)
                levels[sku] = StockLevel(milli: overflows ? level.milli : sum, countedAt: level.countedAt)
            }
            return levels
        }
    }

    private static func product(_ row: Columns) -> Product {
        Product(
            sku: row.text(0), barcode: row.text(1), name: row.text(2), department: row.text(3),
            price: row.integer(4), currency: row.text(5), taxBasisPoints: row.integer(6),
            isDivisible: row.text(7) == ProductRecord.Unit.milli.rawValue, isCounted: row.integer(8) == 1,
            hasOpenPrice: row.integer(9) == 1)
    }
}

/// The rows that a change of the feed writes.
extension SQLiteCatalogue {
    /// - Returns: false for a product that cannot be read.
    static func write(
        _ change: Change, generation: Int64, sealedWith secret: DeviceSecret,
        _ numbers: OrderNumberReserve, in connection: Database
    ) throws -> Bool {
        if change.entity == LeaseRecord.entity { return try writeLease(change, numbers, in: connection) }
        guard change.entity == "product" else {
            try writeEntity(change, generation: generation, sealedWith: secret, in: connection)
            return true
        }
        try DirectStatement("DELETE FROM product_barcodes WHERE generation = ? AND sku = ?", in: connection)
            .run {
                $0.add(generation)
                $0.add(change.entityId)
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
                tax_basis_points, unit, stock_milli, open_price, further_barcodes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
            row.add(product.openPrice ? 1 : nil)
            row.add(
                product.furtherBarcodes.isEmpty
                    ? nil : JSONValue.array(product.furtherBarcodes.map(JSONValue.string)).canonicalText)
        }
        for barcode in product.furtherBarcodes {
            try DirectStatement("INSERT OR IGNORE INTO product_barcodes VALUES (?, ?, ?)", in: connection).run
            {
                $0.add(generation)
                $0.add(barcode)
                $0.add(product.sku)
            }
        }
        return true
    }

    /// Everything else is kept as received, cashiers without the hub's verifier of their PINs, deletions as
    /// tombstones.
    /// A lease belongs to no generation: what was spent of it stays spent when the feed is pulled anew.
    private static func writeLease(
        _ change: Change, _ numbers: OrderNumberReserve, in connection: Database
    ) throws -> Bool {
        let table = LeaseTable(database: connection)
        guard !change.isDeleted else {
            try table.end([change.entityId])
            return true
        }
        // One of a kind that only a later version has is nothing that this one could spend.
        guard let record = change.value.flatMap({ try? LeaseRecord(json: $0) }) else { return true }
        try table.keep(record, as: change.value, numbers.leaseMarks)
        return true
    }

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

    /// What a member is found by: the digest that the hub sends, or of a hub of before the phone's digits. A
    /// price, listing or stock is found by its article; nil for everything else.
    private static func lookup(of change: Change) -> String? {
        if [PriceRecord.entity, ListingRecord.entity, StockRecord.entity].contains(change.entity),
            !change.isDeleted
        {
            return change.value?["sku"]?.string
        }
        guard change.entity == "member", !change.isDeleted, let phone = change.value?["phone"]?.string else {
            return nil
        }
        return LookupKey.isDigest(phone) ? phone : MemberRecord.lookupDigits(of: phone)
    }
}

extension TerminalDatabase {
    /// ``read(_:)`` with the errors of the catalogue.
    func catalogueRead<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do throws(StoreFailure) {
            return try await read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// ``access(_:)`` with the errors of the catalogue.
    func catalogueAccess<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do throws(StoreFailure) {
            return try await access(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// ``writeUnsynced(_:)`` with the errors of the catalogue.
    func catalogueWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do throws(StoreFailure) {
            return try await writeUnsynced(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
