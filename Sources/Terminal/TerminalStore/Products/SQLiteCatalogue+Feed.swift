package import HubProtocol
package import Retail

internal import DirectSQLite
internal import GRDB

/// The change feed is written in generations. A generation that was pulled without a cursor, the very first
/// or one that starts again after `410 cursor_expired`, is built next to the one in use and replaces it in
/// the transaction of its last page; until then, and after a crash in between, the terminal sells from the
/// old one.
///
/// Sales wait for the one connection that writes, so nothing here keeps it for long: a page is written, and
/// what is out of use is erased, a few rows at a time and without syncs. The hub has all of it: what a power
/// failure takes comes again, since its cursor is lost with it.
extension SQLiteCatalogue {
    /// Rows that one transaction writes or erases: some milliseconds on a small terminal.
    static let rowsAtOnce = 100

    /// The cursor of the next page to pull; nil: pull everything.
    package func cursor() async throws(CatalogueError) -> String? {
        try await database.catalogueRead { connection in
            try Self.feed(in: connection).nextCursor
        }
    }

    /// Starts a fresh generation: the next page is to be pulled without a cursor.
    package func startAgain() async throws(CatalogueError) {
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
    package func apply(_ page: ChangePage) async throws(CatalogueError) -> [String] {
        let generation = try await database.catalogueWrite { connection in
            let feed = try Self.feed(in: connection)
            if feed.nextCursor == nil {
                // What a crash left of an earlier try must not be taken for a part of this one.
                try Self.begin(after: feed, in: connection)
            }
            return try Self.feed(in: connection).written
        }
        var unreadable: [String] = []
        let (secret, numbers) = (database.secret, database.orderNumbers)
        for start in stride(from: 0, to: page.changes.count, by: Self.rowsAtOnce) {
            let changes = page.changes[start..<min(start + Self.rowsAtOnce, page.changes.count)]
            unreadable += try await database.catalogueWrite { connection in
                try changes.filter {
                    try !Self.write(
                        $0, generation: generation, sealedWith: secret, numbers, in: connection)
                }
                .map(\.entityId)
            }
        }
        try await database.catalogueWrite { connection in
            try Self.advance(to: page, of: generation, in: connection)
            try NoteTable(connection).settle()
        }
        if page.changes.count > Self.rowsAtOnce { try await checkpoint() }
        if !page.hasMore { try await sweep() }
        return unreadable
    }

    /// Brings what was written into the database at once: left to gather, all of it would be brought there by
    /// the commit of some sale.
    func checkpoint() async throws(CatalogueError) {
        try await database.catalogueAccess { _ = try $0.checkpoint(.passive) }
    }

    /// What the store tunes from the hub, as the generation in use has it; nil when it tunes nothing.
    package func storeConfiguration() async throws(CatalogueError) -> JSONValue? {
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

    /// The feed's one row.
    struct Feed {
        let current: Int64
        let currentCursor: String?
        /// The generation that is being built; nil when none is.
        let target: Int64?
        let targetCursor: String?

        /// The generation that pages are written to.
        var written: Int64 { target ?? current }
        var nextCursor: String? { target == nil ? currentCursor : targetCursor }
    }

    static func feed(in connection: Database) throws -> Feed {
        let query = "SELECT generation, cursor, next_generation, next_cursor FROM feed"
        guard let row = try Row.fetchOne(connection, sql: query) else {
            throw StoreFailure.refused(detail: "the feed's row is missing")
        }
        return Feed(
            current: row["generation"], currentCursor: row["cursor"], target: row["next_generation"],
            targetCursor: row["next_cursor"])
    }

    /// Lets pages be written to a generation that nothing was written to yet.
    static func begin(after feed: Feed, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE feed SET next_generation = ?, next_cursor = NULL", arguments: [feed.written + 1])
    }

    /// Notes the page's cursor; the last page of a new generation puts that in use.
    private static func advance(
        to page: ChangePage, of generation: Int64, in connection: Database
    ) throws {
        let feed = try feed(in: connection)
        guard feed.written == generation else {
            throw StoreFailure.refused(detail: "the catalogue was restarted while a page of it was written")
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
}

/// Generations of the feed that are out of use are erased a few rows at a time, since sales wait meanwhile.
extension SQLiteCatalogue {
    /// Transactions between two checkpoints.
    private static let erasuresACheckpoint = 5

    /// Erases the rows of generations that are neither in use nor being built.
    func sweep() async throws(CatalogueError) {
        var count = 0
        while try await database.catalogueWrite({ try Self.eraseSome(in: $0) }) {
            count += 1
            if count % Self.erasuresACheckpoint == 0 { try await checkpoint() }
        }
    }

    /// - Returns: whether there may be more to erase.
    private static func eraseSome(in connection: Database) throws -> Bool {
        let feed = try feed(in: connection)
        // No row has a later generation than the one that is being built.
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
}

/// A table whose rows belong to generations, with the statements that find and erase rows by their keys.
private struct ErasedTable {
    let name: String
    /// The columns of the key after the generation.
    let key: [String]

    static let all = [
        ErasedTable(name: "products", key: ["sku"]),
        ErasedTable(name: "product_barcodes", key: ["barcode", "sku"]),
        ErasedTable(name: "feed_entities", key: ["entity", "entity_id"]),
    ]

    var search: String {
        "SELECT generation, \(key.joined(separator: ", ")) FROM \(name) WHERE generation BETWEEN ? AND ? LIMIT ?"
    }

    var deletion: String {
        "DELETE FROM \(name) WHERE generation = ? AND " + key.map { $0 + " = ?" }.joined(separator: " AND ")
    }
}
