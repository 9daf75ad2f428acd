public import HubCore
public import HubProtocol

extension PostgresLedger {
    public func importEntities(
        _ list: [some ImportedEntity], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let ahead = try await database.write { connection throws(PostgresError) in
            .undo(try PostgresEntityImport(on: connection).plan(list))
        }
        let rest = ahead.changing(list)
        guard ahead.objection == nil, !rest.isEmpty else { return ahead.outcome }
        return try await database.ask { connection throws(PostgresError) in
            // Behind the feed's lock, as pushes write members and coupons too.
            try PostgresLock.feed.held(on: connection) { () throws(PostgresError) in
                let count = EntityPlan.keys(of: rest).count
                let clock = try PostgresClock.reserve(count, at: now, on: connection)
                return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                    let transaction = try PostgresEntityImport(on: connection)
                    let plan = try transaction.plan(rest)
                    guard plan.objection == nil else { return .undo(plan.outcome(ofAll: list.count)) }
                    try transaction.write(plan.written, at: now, from: clock)
                    return .keep(plan.outcome(ofAll: list.count))
                }
            }
        }
    }

    public func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue] {
        try await database.ask { connection throws(PostgresError) in
            try PostgresEntityImport.values(of: keys, on: connection)
        }
    }

    public func entities(ofKind entity: String) async throws(LedgerError) -> [JSONValue] {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "SELECT value FROM changes WHERE entity = $1 AND store_id = '' AND value IS NOT NULL",
                [.text(entity)]
            ).rows.map { Self.document($0.optionalText(0)) }
        }
    }

    public func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "SELECT entity_id, value FROM changes WHERE lookup = $1 AND entity = 'member' "
                    + "ORDER BY entity_id COLLATE \"C\" LIMIT $2", [.text(digits), .integer(Int64(limit))]
            ).rows.map { row throws(PostgresError) in
                MemberRecord(id: try row.text(0), value: Self.document(row.optionalText(1)))
            }
        }
    }
}
