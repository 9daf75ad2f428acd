internal import DirectSQLite
internal import GRDB
import Base
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Writes portions of articles to a side table between pushes, then takes all of them over in one
    /// transaction.
    package func importProducts(
        _ products: [ProductRecord], withdrawing gone: [String], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let list = ImportList(products, withdrawing: gone)
        return try await imports.run { () async throws(LedgerError) in
            let plan = try await self.file.read { db in
                try ImportPlan(list, beside: SQLiteCatalogue(db: db))
            }
            guard plan.objection == nil, !plan.changesNothing else { return plan.outcome }
            try await self.layReady(plan, at: now)
            return try await self.writer.write { db in
                try SQLiteImport.take(in: db)
                try SQLiteImport.withdraw(plan.withdrawn, at: now, in: db)
                return .keep(plan.outcome)
            }
        }
    }

    /// A portion at a time, with pushes between them.
    private func layReady(_ plan: ImportPlan, at now: Int64) async throws(LedgerError) {
        // The ticks of all articles are taken ahead: the moments of pushes that come between are later ones.
        let articles = try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            var clock = try intake.clock()
            let articles = DatedArticle.all(plan.written, at: now, from: &clock)
            try intake.save(clock)
            try SQLiteImport.begin(in: db)
            return .keep(articles)
        }
        for portion in articles.portions(of: Self.portion) {
            try await writer.write { db in
                try SQLiteImport.lay(Array(portion), in: db)
                return .keep(())
            }
        }
        for portion in plan.freed.portions(of: Self.portion) {
            try await writer.write { db in
                try SQLiteImport.lay(freed: Array(portion), in: db)
                return .keep(())
            }
        }
    }

    /// Articles that are laid ready in one go, some milliseconds' worth.
    private static let portion = 1_000

    /// A read by an index of barcodes; nil too for a record that cannot be read.
    package func product(barcode: String) async throws(LedgerError) -> ProductRecord? {
        try await file.read { db in
            let text: String? = try db.first(
                """
                SELECT record FROM products WHERE barcode = ?1
                UNION ALL SELECT record FROM product_barcodes AS further JOIN products USING (sku)
                WHERE further.barcode = ?1
                """, [barcode])?[0]
            return text.flatMap { try? ProductRecord(json: JSONValue.stored($0)) }
        }
    }

    /// A read in no particular order; records that cannot be read are left out.
    package func products(skus: [String]) async throws(LedgerError) -> [ProductRecord] {
        try await file.read { db in
            try SQLiteCatalogue(db: db).known(skus).values.compactMap { article in
                try? ProductRecord(json: JSONValue.stored(article.record))
            }
        }
    }

    /// One read transaction that ends at the page's limit; `limit` counts rows.
    package func changes(
        after cursor: ChangeCursor?, limit: Int, audiences: [String]
    ) async throws(LedgerError) -> FeedPage? {
        try await file.read { db in
            let feed: String = try db.first("SELECT value FROM meta WHERE key = 'feed'", [])?[0] ?? ""
            let head: Int64 =
                try db.first("SELECT seq FROM sqlite_sequence WHERE name = 'changes'", [])?[0] ?? 0
            let position = cursor?.position ?? 0
            guard cursor == nil || cursor?.feed == feed, position <= head else { return nil }
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: "SELECT position, entity, entity_id, version, deleted_at, hlc, origin, value, "
                        + "lookup_since FROM changes WHERE position > ? AND store_id IN "
                        + "(SELECT value FROM json_each(?)) "
                        + "ORDER BY position LIMIT ?"),
                arguments: [
                    position, JSONValue.array(audiences.map(JSONValue.string)).canonicalText, limit + 1,
                ])
            return try Self.page(of: rows, feed: feed, head: head, limit: limit)
        }
    }

    /// Rows are read one by one until the page is full, so that nothing behind it is held.
    private static func page(
        of rows: RowCursor, feed: String, head: Int64, limit: Int
    ) throws -> FeedPage {
        var changes: [Change] = []
        var phoneSince: [String: String] = [:]
        var (bytes, last): (Int64, Int64) = (0, head)
        while let row = try rows.next() {
            let size = Self.size(of: row)
            guard changes.count < limit, PageLimit.takes(size, behind: bytes) else {
                return FeedPage(
                    changes: changes, cursor: ChangeCursor(feed: feed, position: last), hasMore: true,
                    phoneSince: phoneSince)
            }
            bytes += size
            last = row["position"]
            changes.append(change(from: row))
            let since: String? = row["entity"] == "member" ? row["lookup_since"] : nil
            if let since, !since.isEmpty { phoneSince[row["entity_id"]] = since }
        }
        return FeedPage(
            changes: changes, cursor: ChangeCursor(feed: feed, position: head), hasMore: false,
            phoneSince: phoneSince)
    }

    private static func size(of row: Row) -> Int64 {
        let texts = ["entity_id", "origin", "value"].map { (row[$0] as String?)?.utf8.count ?? 0 }
        return texts.reduce(PageLimit.rowOverhead) { $0 + Int64($1) }
    }

    private static func change(from row: Row) -> Change {
        let deletedAt: Int64? = row["deleted_at"]
        let origin: String? = row["origin"]
        let value: String? = row["value"]
        return Change(
            entity: row["entity"], entityId: row["entity_id"], version: row["version"],
            isDeleted: deletedAt != nil, deletedAt: deletedAt.map(Timestamp.text(milliseconds:)),
            hlc: row["hlc"], origin: origin.map(JSONValue.stored), value: value.map(JSONValue.stored))
    }
}

extension Database {
    /// Moves the entity to the feed's end with its new state and the next version.
    func publish(_ change: PublishedChange) throws {
        let before = try DirectStatement(
            "DELETE FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ? "
                + "RETURNING version, lookup, lookup_since", in: self
        ).first({ change.addKey(to: &$0) }) { ($0.integer(0), $0.optionalText(1), $0.optionalText(2)) }
        let keepsLookup = before.map { $0.1 == change.lookup } ?? false
        try DirectStatement(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value, "
                + "lookup, lookup_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: self
        ).run { row in
            change.addKey(to: &row)
            row.add((before?.0 ?? 0) + 1)
            row.add(change.deletedAt)
            row.add(change.hlc.description)
            row.add(change.origin)
            row.add(change.value)
            row.add(change.lookup)
            row.add(keepsLookup ? before?.2 : change.lookupSince)
        }
    }
}

extension PublishedChange {
    fileprivate func addKey(to row: inout Bindings) {
        row.add(entity)
        row.add(entityId)
        row.add(storeId)
    }
}
