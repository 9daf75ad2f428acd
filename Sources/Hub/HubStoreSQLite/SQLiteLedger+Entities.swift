internal import DirectSQLite
internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Plans in a read, then once more within the write transaction for the records that change anything.
    package func importEntities(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let ahead = try await file.read { db in try SQLiteEntities(db: db).plan(list, gone) }
        let (rest, going) = (ahead.changing(list), gone.filter(ahead.changedKeys.contains))
        guard ahead.objection == nil, !rest.isEmpty || !going.isEmpty else { return ahead.outcome }
        let count = list.count + gone.count
        return try await writer.write { db in
            let plan = try SQLiteEntities(db: db).plan(rest, going)
            guard plan.objection == nil else { return .undo(plan.outcome(ofAll: count)) }
            let intake = SQLiteIntake(db: db)
            var clock = try intake.clock()
            for change in plan.written {
                clock.tick(now: now)
                try db.publish(PublishedChange(change, at: now, hlc: clock))
            }
            try intake.save(clock)
            return .keep(plan.outcome(ofAll: count))
        }
    }

    /// Withdraws the member in one transaction, then changes journal entries in portions; repeat it after a
    /// failure.
    package func eraseMemberId(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> (wasKnown: Bool, entries: Int) {
        let wasKnown = try await withdrawMember(id, at: now)
        try await writer.write { db in
            .keep(try db.run("DELETE FROM member_changes WHERE member_id = ?", [id]))
        }
        // No index leads from a member to the entries: the journals are read whole, beside the pushes.
        let erased = try await file.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT id, document FROM mutations WHERE type IN "
                    + "('\(MemberErasure.types.joined(separator: "', '"))') AND instr(document, ?) > 0",
                arguments: [JSONValue.string(id).canonicalText])
            var erased: [(id: String, document: String)] = []
            while let row = try rows.next() {
                guard let left = MemberErasure.erased(JSONValue.stored(row["document"]), of: id) else {
                    continue
                }
                erased.append((row["id"], left.canonicalText))
            }
            return erased
        }
        for portion in erased.portions(of: Self.entriesAtOnce) {
            let portion = Array(portion)
            try await writer.write { db in
                for entry in portion {
                    try db.run("UPDATE mutations SET document = ? WHERE id = ?", [entry.document, entry.id])
                }
                return .keep(())
            }
        }
        return (wasKnown, erased.count)
    }

    /// A read of all members: no index leads from one to the other.
    package func idsMerged(into memberId: String) async throws(LedgerError) -> [String] {
        let text = MemberMerge.reference(to: memberId).canonicalText
        return try await file.read { db in
            try db.all("SELECT entity_id FROM changes WHERE entity = 'member' AND value = ?", [text])
                .map { $0[0] }
        }
    }

    /// Entries of journals that one transaction changes, some milliseconds' worth: pushes go between them.
    private static let entriesAtOnce = 500

    /// A read, one look-up for each key; deleted entities are not in the result.
    package func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue] {
        try await file.read { db in try SQLiteEntities(db: db).values(of: keys) }
    }

    /// A read of all rows of the kind.
    package func entities(
        ofKind entity: String, for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        try await file.read { db in
            try db.all(
                "SELECT value FROM changes WHERE entity = ? AND store_id IN ('', ?)", [entity, storeId]
            ).compactMap { $0[0] as String? }.map(JSONValue.stored)
        }
    }

    /// The sum of the positions, of which each change raises one: a read of the index of keys alone.
    package func changeMark(ofKind entity: String, for storeId: String) async throws(LedgerError) -> Int64 {
        try await file.read { db in
            try db.all(
                "SELECT ifnull(sum(position), 0) FROM changes WHERE entity = ? AND store_id IN ('', ?)",
                [entity, storeId]
            ).first.map { $0[0] } ?? 0
        }
    }

    /// A read with one look-up for each article.
    package func entities(
        ofKind entity: String, about skus: [String], for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        try await file.read { db in
            try Set(skus).flatMap { SellingTerms.lookups(of: $0, in: storeId) }.flatMap { lookup in
                try db.all("SELECT value FROM changes WHERE lookup = ? AND entity = ?", [lookup, entity])
                    .compactMap { $0[0] as String? }.map(JSONValue.stored)
            }
        }
    }

    /// A read by the index of digits; it waits for no writer.
    package func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await file.read { db in
            try db.all(
                "SELECT entity_id, value, lookup_since FROM changes WHERE lookup = ? AND entity = 'member' "
                    + "ORDER BY ifnull(lookup_since, ''), entity_id LIMIT ?", [digits, limit]
            ).map {
                MemberRecord(
                    id: $0["entity_id"], value: JSONValue.stored($0["value"]), phoneSince: $0["lookup_since"])
            }
        }
    }

    /// A read with one or two look-ups for each distinct code.
    package func coupons(typed codes: [String]) async throws(LedgerError) -> [String: JSONValue] {
        try await file.read { db in
            let entities = SQLiteEntities(db: db)
            var found: [String: JSONValue] = [:]
            for code in Set(codes) {
                guard let id = try SQLiteIntake(db: db).couponId(typed: code) else { continue }
                found[code] = try entities.values(of: [EntityKey("coupon", id)]).values.first
            }
            return found
        }
    }
}

/// The feed's rows as the state of what they are about.
private struct SQLiteEntities {
    let db: Database

    func plan(_ list: [some ImportedEntity], _ gone: [EntityKey]) throws -> EntityPlan {
        EntityPlan(
            list, withdrawing: gone,
            beside: try values(of: EntityPlan.keys(of: list, withdrawing: gone)))
    }

    /// Those that are there, whichever store they are for; a deleted one has no value.
    func values(of keys: [EntityKey]) throws -> [EntityKey: JSONValue] {
        let statement = try DirectStatement(
            "SELECT value FROM changes WHERE entity = ? AND entity_id = ? AND value IS NOT NULL LIMIT 1",
            in: db)
        var values: [EntityKey: JSONValue] = [:]
        for key in keys {
            let text = try statement.first({ row in
                row.add(key.entity)
                row.add(key.id)
            }) { $0.optionalText(0) }
            if let text = text ?? nil { values[key] = JSONValue.stored(text) }
        }
        return values
    }
}
