internal import GRDB
public import HubCore
public import HubProtocol

extension SQLiteLedger {
    public func importProducts(
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

    public func product(barcode: String) async throws(LedgerError) -> ProductRecord? {
        try await file.read { db in
            let text: String? = try db.first("SELECT record FROM products WHERE barcode = ?", [barcode])?[0]
            return text.flatMap { try? ProductRecord(json: Self.document($0)) }
        }
    }

    public func products(skus: [String]) async throws(LedgerError) -> [ProductRecord] {
        try await file.read { db in
            try SQLiteCatalogue(db: db).known(skus).values.compactMap { article in
                try? ProductRecord(json: Self.document(article.record))
            }
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
                hasMore: rows.count > limit,
                phoneSince: page.reduce(into: [:]) { moments, row in
                    let since: String? = row["entity"] == "member" ? row["lookup_since"] : nil
                    if let since, !since.isEmpty { moments[row["entity_id"]] = since }
                })
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
