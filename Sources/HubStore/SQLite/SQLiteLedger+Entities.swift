internal import DirectSQLite
internal import GRDB
public import HubCore
public import HubProtocol

extension SQLiteLedger {
    public func importEntities(
        _ list: [some ImportedEntity], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let ahead = try await file.read { db in try SQLiteEntities(db: db).plan(list) }
        let rest = ahead.changing(list)
        guard ahead.objection == nil, !rest.isEmpty else { return ahead.outcome }
        return try await writer.write { db in
            let plan = try SQLiteEntities(db: db).plan(rest)
            guard plan.objection == nil else { return .undo(plan.outcome(ofAll: list.count)) }
            let intake = SQLiteIntake(db: db)
            var clock = try intake.clock()
            for change in plan.written {
                clock.tick(now: now)
                try db.publish(PublishedChange(change, at: clock))
            }
            try intake.save(clock)
            return .keep(plan.outcome(ofAll: list.count))
        }
    }

    public func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue] {
        try await file.read { db in try SQLiteEntities(db: db).values(of: keys) }
    }

    public func entities(ofKind entity: String) async throws(LedgerError) -> [JSONValue] {
        try await file.read { db in
            try db.all("SELECT value FROM changes WHERE entity = ? AND store_id = ''", [entity])
                .compactMap { $0[0] as String? }.map(Self.document)
        }
    }

    public func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await file.read { db in
            try db.all(
                "SELECT entity_id, value FROM changes WHERE lookup = ? AND entity = 'member' "
                    + "ORDER BY entity_id LIMIT ?", [digits, limit]
            ).map { MemberRecord(id: $0[0], value: Self.document($0[1])) }
        }
    }
}

/// The feed's rows as the state of what they are about.
private struct SQLiteEntities {
    let db: Database

    func plan(_ list: [some ImportedEntity]) throws -> EntityPlan {
        EntityPlan(list, beside: try values(of: EntityPlan.keys(of: list)))
    }

    /// Those that are there; a deleted one has no value.
    func values(of keys: [EntityKey]) throws -> [EntityKey: JSONValue] {
        let statement = try DirectStatement(
            "SELECT value FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ''", in: db)
        var values: [EntityKey: JSONValue] = [:]
        for key in keys {
            let text = try statement.first({ row in
                row.add(key.entity)
                row.add(key.id)
            }) { $0.optionalText(0) }
            if let text = text ?? nil { values[key] = SQLiteLedger.document(text) }
        }
        return values
    }
}
