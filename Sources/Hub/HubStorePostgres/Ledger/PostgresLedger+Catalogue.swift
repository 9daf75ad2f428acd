package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// One transaction behind the feed's lock, for which other imports wait; sales do not.
    package func importProducts(
        _ products: [ProductRecord], withdrawing gone: [String], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let list = ImportList(products, withdrawing: gone)
        return try await database.perform(isLong: true) { connection throws(PostgresError) in
            // Two imports one after the other, the second at a later moment; who sells waits for neither.
            try StoreLock.feed.held(on: connection) { () throws(PostgresError) in
                let clock = try PostgresClock.reserve(
                    list.articles.count + list.gone.count, at: now, on: connection)
                return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                    let transaction = try PostgresImport(on: connection)
                    let plan = try ImportPlan(list, beside: transaction)
                    guard plan.objection == nil else { return .undo(plan.outcome) }
                    try transaction.write(plan, at: now, from: clock)
                    return .keep(plan.outcome)
                }
            }
        }
    }
}

extension PublishedChange {
    /// Moves the entity to the feed's end with its new state, the next version and a moment that is not
    /// before the last one's. To be sent after ``PostgresLock/feed``.
    var statement: PostgresStatement { Self.statement(for: [self]) }

    /// The same for several entities, none of them twice, in their order.
    static func statement(for changes: [PublishedChange]) -> PostgresStatement {
        func texts(_ value: (PublishedChange) -> String?) -> PostgresValue { .texts(of: changes, value) }
        return PostgresStatement(
            "INSERT INTO changes "
                + "(entity, entity_id, store_id, version, deleted_at, hlc, origin, value, lookup, "
                + "lookup_since) SELECT entity, entity_id, store_id, 1, deleted_at, hlc, origin, value, "
                + "lookup, lookup_since FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], "
                + "$5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) "
                + "AS change (entity, entity_id, store_id, deleted_at, hlc, origin, value, lookup, "
                + "lookup_since) "
                + "ON CONFLICT (entity, entity_id, store_id) DO UPDATE "
                + "SET position = nextval(pg_get_serial_sequence('changes', 'position')), "
                + "version = changes.version + 1, deleted_at = excluded.deleted_at, "
                + "hlc = GREATEST(changes.hlc, excluded.hlc), origin = excluded.origin, "
                + "value = excluded.value, lookup = excluded.lookup, lookup_since = CASE "
                + "WHEN changes.lookup IS NOT DISTINCT FROM excluded.lookup THEN changes.lookup_since "
                + "ELSE excluded.lookup_since END",
            [
                texts(\.entity), texts(\.entityId), texts(\.storeId), .integers(of: changes, \.deletedAt),
                texts(\.hlc.description), texts(\.origin), texts(\.value), texts(\.lookup),
                texts(\.lookupSince),
            ])
    }
}
