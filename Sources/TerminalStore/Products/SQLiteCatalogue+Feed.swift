internal import DirectSQLite
internal import GRDB
public import HubProtocol
public import Retail

/// The change feed is written in generations. A generation that was pulled without a cursor, the very first
/// or one that starts again after `410 cursor_expired`, is built beside the one in use and replaces it in the
/// transaction of its last page; until then, and after a crash in between, the till sells from the old one.
///
/// Sales wait for the one connection, so nothing here holds it for long: a page is written, and what is out
/// of use is erased, a few rows at a time.
extension SQLiteCatalogue {
    /// Rows that one transaction writes or erases: some milliseconds on a small terminal.
    private static let rowsAtOnce = 100
    /// Transactions that erase between two checkpoints.
    private static let erasuresACheckpoint = 5

    /// The cursor of the next page to pull; nil: pull everything.
    public func cursor() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try Self.feed(in: connection).nextCursor
        }
    }

    /// Starts a fresh generation: the next page is to be pulled without a cursor.
    public func startAgain() async throws(CatalogueError) {
        try await database.catalogueWrite { try Self.begin(after: try Self.feed(in: $0), in: $0) }
        try await sweep()
    }

    /// Writes the changes of a page and, when all of them are written, its cursor: a page that a crash cut
    /// short comes once more. Pages are applied one after the other.
    ///
    /// A product that cannot be read is left out, so that one bad article does not stop the others.
    ///
    /// - Returns: the ids of the products left out.
    @discardableResult
    public func apply(_ page: ChangePage) async throws(CatalogueError) -> [String] {
        let generation = try await database.catalogueWrite { connection in
            let feed = try Self.feed(in: connection)
            if feed.nextCursor == nil {
                // What a crash left of an earlier try must not be taken for a part of this one.
                try Self.begin(after: feed, in: connection)
            }
            return try Self.feed(in: connection).written
        }
        var unreadable: [String] = []
        for start in stride(from: 0, to: page.changes.count, by: Self.rowsAtOnce) {
            let changes = page.changes[start..<min(start + Self.rowsAtOnce, page.changes.count)]
            unreadable += try await database.catalogueWrite { connection in
                try changes.filter { try !Self.write($0, generation: generation, in: connection) }
                    .map(\.entityId)
            }
        }
        try await database.catalogueWrite { connection in
            try Self.advance(to: page, of: generation, in: connection)
            try NoteShelf(connection).settle()
        }
        try await checkpoint()
        if !page.hasMore { try await sweep() }
        return unreadable
    }

    /// Erases the rows of generations that are neither in use nor being built.
    private func sweep() async throws(CatalogueError) {
        var count = 0
        while try await database.catalogueWrite({ try Self.eraseSome(in: $0) }) {
            count += 1
            if count % Self.erasuresACheckpoint == 0 { try await checkpoint() }
        }
    }

    /// Brings what was written into the database at once: left to gather, all of it would be brought there by
    /// the commit of some sale.
    private func checkpoint() async throws(CatalogueError) {
        try await database.catalogueRead { _ = try $0.checkpoint(.passive) }
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

        /// The generation that pages are written to.
        var written: Int64 { target ?? current }
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

    /// Lets pages be written to a generation that nothing was written to yet.
    private static func begin(after feed: Feed, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE feed SET next_generation = ?, next_cursor = NULL", arguments: [feed.written + 1])
    }

    /// Notes the page's cursor; the last page of a new generation puts that in use.
    private static func advance(
        to page: ChangePage, of generation: Int64, in connection: Database
    ) throws {
        let feed = try feed(in: connection)
        guard feed.written == generation else {
            throw StoreFailure.refused(detail: "the catalogue was begun anew while a page of it was written")
        }
        if feed.target == nil {
            try connection.execute(sql: "UPDATE feed SET cursor = ?", arguments: [page.cursor])
        } else if page.hasMore {
            try connection.execute(sql: "UPDATE feed SET next_cursor = ?", arguments: [page.cursor])
        } else {
            try connection.execute(
                sql: "UPDATE feed SET generation = ?, cursor = ?, next_generation = NULL, next_cursor = NULL",
                arguments: [feed.written, page.cursor])
        }
    }

    /// - Returns: whether there may be more to erase.
    private static func eraseSome(in connection: Database) throws -> Bool {
        let feed = try feed(in: connection)
        // Nothing was ever written behind the generation that is being built.
        let outOfUse = [
            (first: 0, last: feed.current - 1), (first: feed.current + 1, last: feed.written - 1),
        ]
        for table in ErasedTable.all {
            for generations in outOfUse {
                let keys = try DirectStatement(table.search, in: connection).all { row in
                    row.add(generations.first)
                    row.add(generations.last)
                    row.add(Int64(rowsAtOnce))
                } _: { columns in
                    (
                        generation: columns.integer(0),
                        key: table.key.indices.map { columns.text(Int32($0) + 1) }
                    )
                }
                let deletion = try DirectStatement(table.deletion, in: connection)
                for (generation, key) in keys {
                    try deletion.run { row in
                        row.add(generation)
                        for text in key { row.add(text) }
                    }
                }
                if !keys.isEmpty { return true }
            }
        }
        return false
    }

    /// - Returns: false for a product that cannot be read.
    private static func write(_ change: Change, generation: Int64, in connection: Database) throws -> Bool {
        guard change.entity == "product" else {
            try writeEntity(change, generation: generation, in: connection)
            return true
        }
        guard !change.isDeleted else {
            try DirectStatement("DELETE FROM products WHERE generation = ? AND sku = ?", in: connection).run {
                $0.add(generation)
                $0.add(change.entityId)
            }
            return true
        }
        guard let value = change.value, let product = try? ProductRecord(json: value) else { return false }
        let insertion = try DirectStatement(
            """
            INSERT OR REPLACE INTO products (generation, sku, barcode, name, department, price, currency,
                tax_basis_points, unit, stock_milli)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: connection)
        try insertion.run { row in
            row.add(generation)
            row.add(product.sku)
            row.add(product.barcode)
            row.add(product.name)
            row.add(product.department)
            row.add(product.priceMinor)
            row.add(product.currency)
            row.add(product.taxBasisPoints)
            row.add(product.unit.rawValue)
            row.add(product.stockMilli)
        }
        return true
    }

    /// Everything else is kept as it came, deletions as tombstones.
    private static func writeEntity(
        _ change: Change, generation: Int64, in connection: Database
    ) throws {
        let insertion = try DirectStatement(
            """
            INSERT OR REPLACE INTO feed_entities (generation, entity, entity_id, version, value,
                deleted_at, hlc, origin, lookup)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, in: connection)
        try insertion.run { row in
            row.add(generation)
            row.add(change.entity)
            row.add(change.entityId)
            row.add(change.version)
            row.add(change.isDeleted ? nil : change.value?.canonicalText)
            row.add(change.deletedAt)
            row.add(change.hlc)
            row.add(change.origin?["mutationId"]?.string)
            row.add(lookupDigits(of: change))
        }
    }

    /// The digits by which a member is found; nil for everything else.
    private static func lookupDigits(of change: Change) -> String? {
        guard change.entity == "member", !change.isDeleted else { return nil }
        return change.value?["phone"]?.string.flatMap(MemberRecord.lookupDigits)
    }
}

/// A table whose rows belong to generations, and how some rows of it are found and erased by their keys.
private struct ErasedTable {
    let name: String
    /// The columns of the key behind the generation.
    let key: [String]

    static let all = [
        ErasedTable(name: "products", key: ["sku"]),
        ErasedTable(name: "feed_entities", key: ["entity", "entity_id"]),
    ]

    var search: String {
        "SELECT generation, \(key.joined(separator: ", ")) FROM \(name) WHERE generation BETWEEN ? AND ? LIMIT ?"
    }

    var deletion: String {
        "DELETE FROM \(name) WHERE generation = ? AND " + key.map { $0 + " = ?" }.joined(separator: " AND ")
    }
}
