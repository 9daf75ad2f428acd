internal import DirectSQLite
internal import GRDB
internal import Retail

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
        ErasedTable(name: "feed_entities", key: ["entity", "entity_id"]),
    ]

    var search: String {
        "SELECT generation, \(key.joined(separator: ", ")) FROM \(name) WHERE generation BETWEEN ? AND ? LIMIT ?"
    }

    var deletion: String {
        "DELETE FROM \(name) WHERE generation = ? AND " + key.map { $0 + " = ?" }.joined(separator: " AND ")
    }
}
