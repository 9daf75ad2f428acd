internal import DirectSQLite
internal import GRDB
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
