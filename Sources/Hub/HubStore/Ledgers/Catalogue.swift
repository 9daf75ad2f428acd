import Base
package import HubCore
package import HubProtocol

/// The catalogue and its change feed.
extension Ledger {
    /// Imports products and withdraws none.
    package func importProducts(
        _ products: [ProductRecord], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        try await importProducts(products, withdrawing: [], at: now)
    }

    /// What all terminals of a store get.
    package func changes(
        after cursor: ChangeCursor?, limit: Int, storeId: String
    ) async throws(LedgerError) -> FeedPage? {
        try await changes(after: cursor, limit: limit, audiences: ["", storeId])
    }

    package func product(barcode: String) async throws(LedgerError) -> ProductRecord? {
        try await read { session in
            let row = try session.first(
                """
                SELECT record FROM products WHERE barcode = $1
                UNION ALL SELECT record FROM product_barcodes further JOIN products USING (sku)
                WHERE further.barcode = $1
                """, [barcode])
            return row.flatMap { row in try? ProductRecord(json: JSONValue.stored(try row[0])) }
        }
    }

    /// Those of `skus` that are known. A read in no particular order; records that cannot be read are left
    /// out.
    package func products(skus: [String]) async throws(LedgerError) -> [ProductRecord] {
        try await read { session in
            try session.rows(
                "SELECT record FROM products WHERE sku \(session.dialect.isOne("$1"))",
                [StoreValue.texts(Array(Set(skus)))]
            ).compactMap { row in try? ProductRecord(json: JSONValue.stored(try row[0])) }
        }
    }

    /// What changed behind `cursor`; nil for a cursor that this feed cannot serve. One read that ends at the
    /// page's limit; `limit` counts rows.
    ///
    /// - Parameter audiences: of ``FeedAudience``; rows of others are left out.
    package func changes(
        after cursor: ChangeCursor?, limit: Int, audiences: [String]
    ) async throws(LedgerError) -> FeedPage? {
        try await read { session in
            let position = cursor?.position ?? 0
            let rows = StoreQuery(
                "SELECT position, entity, entity_id, version, deleted_at, hlc, origin, value, "
                    + "CASE WHEN entity = 'member' THEN NULLIF(lookup_since, '') END AS phone_since "
                    + "FROM changes WHERE position > $1 AND store_id \(session.dialect.isOne("$2")) "
                    + "ORDER BY position LIMIT $3",
                [.integer(position), .texts(audiences), .integer(Int64(limit + 1))],
                texts: ["entity_id", "origin", "value"])
            let head = StoreQuery(
                "SELECT value, (SELECT COALESCE(MAX(position), 0) FROM changes) FROM meta WHERE key = 'feed'")
            let (first, page) = try session.page(of: rows, rows: limit, behind: head)
            guard let first else { return nil }
            let (feed, end): (String, Int64) = (try first[0], try first[1])
            guard cursor == nil || cursor?.feed == feed, position <= end else { return nil }
            return try FeedPage(page, feed: feed, end: end)
        }
    }
}

extension FeedPage {
    /// - Parameter end: the last position that the feed had before the page was read: the rows up to it that
    /// the
    ///   page does not have are others'.
    fileprivate init(_ page: StorePage, feed: String, end: Int64) throws {
        var phoneSince: [String: String] = [:]
        let changes = try page.rows.map { row in
            let deletedAt: Int64? = try row[4]
            if let since: String = try row[8] { phoneSince[try row[2]] = since }
            let (origin, value): (String?, String?) = (try row[6], try row[7])
            return try Change(
                entity: row[1], entityId: row[2], version: row[3], isDeleted: deletedAt != nil,
                deletedAt: deletedAt.map(Timestamp.text(milliseconds:)), hlc: row[5],
                origin: origin.map(JSONValue.stored), value: value.map(JSONValue.stored))
        }
        let last: Int64? = try page.rows.last?[0]
        self.init(
            changes: changes,
            cursor: ChangeCursor(feed: feed, position: page.hasMore ? last ?? end : max(last ?? end, end)),
            hasMore: page.hasMore, phoneSince: phoneSince)
    }
}
