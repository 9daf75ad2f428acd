internal import GRDB
public import HubCore
public import HubProtocol

extension SQLiteLedger {
    public func importProducts(
        _ products: [ProductRecord], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        try await writer.write { db in
            let outcome = try Self.importAll(products, at: now, in: db)
            switch outcome {
            case .imported: return .keep(outcome)
            case .refused: return .undo(outcome)
            }
        }
    }

    private static func importAll(
        _ products: [ProductRecord], at now: Int64, in db: Database
    ) throws -> ImportOutcome {
        let intake = SQLiteIntake(db: db)
        var clock = try intake.clock()
        try freeBarcodes(of: products, in: db)
        var (new, changed, unchanged) = (0, 0, 0)
        for product in products {
            if let objection = try objection(to: product, in: db) { return .refused(objection) }
            let text = product.json.canonicalText
            let known: String? = try db.first("SELECT record FROM products WHERE sku = ?", [product.sku])?[0]
            guard known != text else {
                unchanged += 1
                continue
            }
            if known == nil { new += 1 } else { changed += 1 }
            clock.tick(now: now)
            try keep(product, record: text, in: db)
            try db.publish(
                PublishedChange(
                    entity: "product", entityId: product.sku, storeId: "", deletedAt: nil, hlc: clock,
                    origin: nil, value: product.json))
        }
        try intake.save(clock)
        return .imported(new: new, changed: changed, unchanged: unchanged)
    }

    /// Takes the barcodes that change off their products first, so that two products can swap theirs.
    private static func freeBarcodes(of products: [ProductRecord], in db: Database) throws {
        for product in products {
            try db.run(
                "UPDATE products SET barcode = char(0) || sku WHERE sku = ? AND barcode <> ?",
                [product.sku, product.barcode])
        }
    }

    private static func objection(to product: ProductRecord, in db: Database) throws -> String? {
        let other: String? = try db.first(
            "SELECT sku FROM products WHERE barcode = ? AND sku <> ?", [product.barcode, product.sku])?[0]
        if let other { return "the barcode \"\(product.barcode)\" belongs to the sku \"\(other)\"" }
        let currency: String? = try db.first(
            "SELECT currency FROM products WHERE currency <> ? LIMIT 1", [product.currency])?[0]
        guard let currency else { return nil }
        return "the catalogue is in \(currency), the sku \"\(product.sku)\" in \(product.currency)"
    }

    private static func keep(_ product: ProductRecord, record: String, in db: Database) throws {
        try db.run(
            "INSERT INTO products (sku, barcode, record, price, currency, stock_milli) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (sku) DO UPDATE SET barcode = ?2, record = ?3, "
                + "price = ?4, currency = ?5, sold_milli = iif(stock_milli IS ?6, sold_milli, 0), "
                + "stock_milli = ?6",
            [
                product.sku, product.barcode, record, product.priceMinor, product.currency,
                product.stockMilli,
            ])
    }

    public func product(barcode: String) async throws(LedgerError) -> ProductRecord? {
        try await file.read { db in
            let text: String? = try db.first("SELECT record FROM products WHERE barcode = ?", [barcode])?[0]
            return text.flatMap { try? ProductRecord(json: Self.document($0)) }
        }
    }

    public func changes(
        after cursor: ChangeCursor?, limit: Int, storeId: String
    ) async throws(LedgerError) -> FeedPage? {
        try await file.read { db in
            let feed: String = try db.first("SELECT value FROM meta WHERE key = 'feed'", [])?[0] ?? ""
            let head: Int64 =
                try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'changes'", [])?[0] ?? 0
            let position = cursor?.position ?? 0
            guard cursor == nil || cursor?.feed == feed, position <= head else { return nil }
            let rows = try db.all(
                "SELECT * FROM changes WHERE position > ? AND store_id IN ('', ?) ORDER BY position LIMIT ?",
                [position, storeId, limit + 1])
            let page = rows.prefix(limit)
            let last: Int64 = rows.count > limit ? page.last?["position"] ?? head : head
            return FeedPage(
                changes: page.map(Self.change(from:)), cursor: ChangeCursor(feed: feed, position: last),
                hasMore: rows.count > limit)
        }
    }

    private static func change(from row: Row) -> Change {
        let deletedAt: Int64? = row["deleted_at"]
        let origin: String? = row["origin"]
        let value: String? = row["value"]
        return Change(
            entity: row["entity"], entityId: row["entity_id"], version: row["version"],
            isDeleted: deletedAt != nil, deletedAt: deletedAt.map(Timestamp.text(milliseconds:)),
            hlc: row["hlc"], origin: origin.map(document), value: value.map(document))
    }
}
