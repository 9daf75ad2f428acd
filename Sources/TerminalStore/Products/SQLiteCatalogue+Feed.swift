internal import GRDB
public import HubProtocol
public import Retail

/// The change feed is written in generations. A generation that was pulled without a cursor, the very first
/// or one that starts again after `410 cursor_expired`, is built beside the one in use and replaces it in the
/// transaction of its last page; until then, and after a crash in between, the till sells from the old one.
extension SQLiteCatalogue {
    /// The cursor of the next page to pull; nil: pull everything.
    public func cursor() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try Self.feed(in: connection).nextCursor
        }
    }

    /// Starts a fresh generation: the next page is to be pulled without a cursor.
    public func startAgain() async throws(CatalogueError) {
        try await database.catalogueWrite { connection in
            let feed = try Self.feed(in: connection)
            if let unfinished = feed.target, unfinished != feed.current {
                try Self.erase(unfinished, in: connection)
            }
            try connection.execute(
                sql: "UPDATE feed SET next_generation = ?, next_cursor = NULL",
                arguments: [max(feed.current, feed.target ?? 0) + 1])
        }
    }

    /// Writes a page and its cursor in one transaction.
    ///
    /// A product that cannot be read is left out, so that one bad article does not stop the others.
    ///
    /// - Returns: the ids of the products left out.
    @discardableResult
    public func apply(_ page: ChangePage) async throws(CatalogueError) -> [String] {
        try await database.catalogueWrite { connection in
            let feed = try Self.feed(in: connection)
            let generation = feed.target ?? (feed.hasCursor ? feed.current : feed.current + 1)
            var unreadable: [String] = []
            for change in page.changes {
                if try !Self.write(change, generation: generation, in: connection) {
                    unreadable.append(change.entityId)
                }
            }
            try Self.advance(feed, generation: generation, page: page, in: connection)
            try NoteShelf(connection).settle()
            return unreadable
        }
    }

    /// What the store tunes from the hub, as the generation in use has it; nil when it tunes nothing.
    public func storeConfiguration() async throws(CatalogueError) -> JSONValue? {
        try await database.catalogueRead { connection in
            let text = try String.fetchOne(
                connection,
                sql: """
                    SELECT value FROM feed_entities
                    WHERE generation = (SELECT generation FROM feed) AND entity = 'storeConfig'
                        AND value IS NOT NULL ORDER BY version DESC LIMIT 1
                    """)
            return text.flatMap { try? JSONParser.parse($0.utf8) }
        }
    }

    private struct Feed {
        let current: Int64
        let currentCursor: String?
        /// The generation that is being built; nil when none is.
        let target: Int64?
        let targetCursor: String?

        var hasCursor: Bool { currentCursor != nil }
        var nextCursor: String? { target == nil ? currentCursor : targetCursor }
    }

    private static func feed(in connection: Database) throws -> Feed {
        guard let row = try Row.fetchOne(connection, sql: "SELECT * FROM feed") else {
            throw StoreFailure.refused(detail: "the feed's row is missing")
        }
        return Feed(
            current: row["generation"], currentCursor: row["cursor"], target: row["next_generation"],
            targetCursor: row["next_cursor"])
    }

    /// Notes the page's cursor; the last page of a new generation puts that in use and erases the old one.
    private static func advance(
        _ feed: Feed, generation: Int64, page: ChangePage, in connection: Database
    ) throws {
        if generation == feed.current {
            try connection.execute(sql: "UPDATE feed SET cursor = ?", arguments: [page.cursor])
        } else if page.hasMore {
            try connection.execute(
                sql: "UPDATE feed SET next_generation = ?, next_cursor = ?",
                arguments: [generation, page.cursor])
        } else {
            try connection.execute(
                sql: "UPDATE feed SET generation = ?, cursor = ?, next_generation = NULL, next_cursor = NULL",
                arguments: [generation, page.cursor])
            try erase(feed.current, in: connection)
        }
    }

    private static func erase(_ generation: Int64, in connection: Database) throws {
        try connection.execute(sql: "DELETE FROM products WHERE generation = ?", arguments: [generation])
        try connection.execute(sql: "DELETE FROM feed_entities WHERE generation = ?", arguments: [generation])
    }

    /// - Returns: false for a product that cannot be read.
    private static func write(_ change: Change, generation: Int64, in connection: Database) throws -> Bool {
        guard change.entity == "product" else {
            try writeEntity(change, generation: generation, in: connection)
            return true
        }
        guard !change.isDeleted else {
            try connection.cachedStatement(sql: "DELETE FROM products WHERE generation = ? AND sku = ?")
                .execute(arguments: [generation, change.entityId])
            return true
        }
        guard let value = change.value, let product = try? ProductRecord(json: value) else { return false }
        try connection.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO products (generation, sku, barcode, name, department, price, currency,
                    tax_basis_points, unit, stock_milli)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            generation, product.sku, product.barcode, product.name, product.department, product.priceMinor,
            product.currency, product.taxBasisPoints, product.unit.rawValue, product.stockMilli,
        ])
        return true
    }

    /// Everything else is kept as it came, deletions as tombstones.
    private static func writeEntity(
        _ change: Change, generation: Int64, in connection: Database
    ) throws {
        try connection.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO feed_entities (generation, entity, entity_id, version, value,
                    deleted_at, hlc, origin, lookup)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            generation, change.entity, change.entityId, change.version,
            change.isDeleted ? nil : change.value?.canonicalText, change.deletedAt, change.hlc,
            change.origin?["mutationId"]?.string, lookupDigits(of: change),
        ])
    }

    /// The digits by which a member is found; nil for everything else.
    private static func lookupDigits(of change: Change) -> String? {
        guard change.entity == "member", !change.isDeleted else { return nil }
        return change.value?["phone"]?.string.flatMap(MemberRecord.lookupDigits)
    }
}
