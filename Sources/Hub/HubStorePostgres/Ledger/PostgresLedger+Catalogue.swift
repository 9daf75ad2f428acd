import Base
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

    /// A read by the index of barcodes; nil too for a record that cannot be read.
    package func product(barcode: String) async throws(LedgerError) -> ProductRecord? {
        try await database.perform { connection throws(PostgresError) in
            let text = try connection.query(
                "SELECT record FROM products WHERE barcode = $1 UNION ALL SELECT record FROM product_barcodes f "
                    + "JOIN products USING (sku) WHERE f.barcode = $1", [.text(barcode)]
            )
            .first?.optionalText(0)
            return text.flatMap { try? ProductRecord(json: JSONValue.stored($0)) }
        }
    }

    /// A read in no particular order; records that cannot be read are left out.
    package func products(skus: [String]) async throws(LedgerError) -> [ProductRecord] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT record FROM products WHERE sku = ANY($1::text[])", [.texts(Array(Set(skus)))]
            ).rows.compactMap { row in
                try? ProductRecord(json: JSONValue.stored(row.optionalText(0)))
            }
        }
    }

    /// One round trip; the server leaves out rows beyond the page, and `limit` counts rows.
    package func changes(
        after cursor: ChangeCursor?, limit: Int, audiences: [String]
    ) async throws(LedgerError) -> FeedPage? {
        try await database.perform { connection throws(PostgresError) in
            let responses = try connection.query([
                PostgresStatement(
                    "SELECT value AS feed, (SELECT COALESCE(MAX(position), 0) FROM changes) AS head FROM meta "
                        + "WHERE key = 'feed'"),
                Self.pageRows(behind: cursor?.position ?? 0, of: audiences, limit: limit),
            ])
            return try Self.page(responses, after: cursor, limit: limit)
        }
    }

    /// The rows of a page, each with how many the feed holds from the page's first one up to one past the
    /// limit. The server adds the sizes up without reading large values, and sends no row behind the page.
    private static func pageRows(
        behind position: Int64, of audiences: [String], limit: Int
    ) -> PostgresStatement {
        PostgresStatement(
            "SELECT position, entity, entity_id, version, deleted_at, hlc, origin, value, "
                + "CASE WHEN entity = 'member' THEN NULLIF(lookup_since, '') END AS phone_since, available "
                + "FROM (SELECT *, COUNT(*) OVER () AS available, "
                + "(SUM(size) OVER (ORDER BY position) - size)::bigint AS bytes_before "
                + "FROM (SELECT *, octet_length(entity_id) + COALESCE(octet_length(origin), 0) "
                + "+ COALESCE(octet_length(value), 0) + \(PageLimit.rowOverhead) AS size "
                + "FROM changes WHERE position > $1 AND store_id = ANY($2::text[]) ORDER BY position LIMIT $3) "
                + "AS first) AS sized WHERE bytes_before = 0 OR bytes_before + size <= $4 ORDER BY position",
            [
                .integer(position), .texts(audiences), .integer(Int64(limit + 1)),
                .integer(PageLimit.bytes),
            ])
    }

    private static func page(
        _ responses: [PostgresRows], after cursor: ChangeCursor?, limit: Int
    ) throws(PostgresError) -> FeedPage? {
        guard let head = responses.first?.first, let rows = responses.last?.rows else { return nil }
        let feed = try head.text("feed")
        let position = cursor?.position ?? 0
        guard cursor == nil || cursor?.feed == feed, position <= (try head.integer("head")) else {
            return nil
        }
        let page = rows.prefix(limit)
        var phoneSince: [String: String] = [:]
        for row in page {
            if let since = try row.optionalText("phone_since") {
                phoneSince[try row.text("entity_id")] = since
            }
        }
        let available = try rows.first?.integer("available") ?? 0
        return FeedPage(
            changes: try page.map(change),
            cursor: ChangeCursor(feed: feed, position: try page.last?.integer("position") ?? position),
            hasMore: available > Int64(page.count), phoneSince: phoneSince)
    }

    private static func change(from row: PostgresRow) throws(PostgresError) -> Change {
        let deletedAt = try row.optionalInteger("deleted_at")
        return Change(
            entity: try row.text("entity"), entityId: try row.text("entity_id"),
            version: try row.integer("version"),
            isDeleted: deletedAt != nil, deletedAt: deletedAt.map(Timestamp.text(milliseconds:)),
            hlc: try row.text("hlc"), origin: try row.optionalText("origin").map(JSONValue.stored),
            value: try row.optionalText("value").map(JSONValue.stored))
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
