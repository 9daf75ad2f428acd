internal import GRDB
internal import HubProtocol
package import Retail

/// The history of the intervals offline in the terminal's database.
package struct SQLiteOfflineHistory: OfflineHistory {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// The sales of an interval are the orders between its first and its last sequence of the journal.
    package func noteOffline(
        at wallMilliseconds: Int64, causes: [String], evidence: [String]
    ) async throws(StorageError) {
        try await accessing(writing: true) { connection in
            guard let interval = try Self.lasting(in: connection) else {
                return try connection.execute(
                    sql: """
                        INSERT INTO offline_periods (started_at, causes, evidence, first_sequence)
                        VALUES (?, ?, ?, (SELECT sequence + 1 FROM terminal))
                        """,
                    arguments: [wallMilliseconds, Self.column(causes), Self.column(evidence)])
            }
            let next = interval.adding(causes: causes, evidence: evidence)
            try connection.execute(
                sql: "UPDATE offline_periods SET causes = ?, evidence = ? WHERE id = ?",
                arguments: [Self.column(next.causes), Self.column(next.evidence), next.id])
        }
    }

    /// Writes nothing when no interval lasts.
    package func noteOnline(at wallMilliseconds: Int64) async throws(StorageError) {
        try await accessing(writing: true) { connection in
            guard let interval = try Self.lasting(in: connection) else { return }
            try connection.execute(
                sql: """
                    UPDATE offline_periods SET ended_at = ?, last_sequence = (SELECT sequence FROM terminal)
                    WHERE ended_at IS NULL
                    """, arguments: [interval.end(at: wallMilliseconds)])
        }
    }

    /// Counts the sales of each; default 100 intervals.
    package func newest(limit: Int = 100) async throws(StorageError) -> [OfflineInterval] {
        try await accessing(writing: false) { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT id, started_at, ended_at, causes, evidence, (
                        SELECT count(*) FROM orders WHERE mode = 'offline'
                        AND sequence BETWEEN first_sequence
                            AND COALESCE(last_sequence, (SELECT sequence FROM terminal))
                    ) AS sales FROM offline_periods ORDER BY id DESC LIMIT ?
                    """, arguments: [limit]
            ).map { Self.interval(from: $0) }
        }
    }

    /// One pass over the newest rows.
    package func newestCauses(limit: Int) async throws(StorageError) -> [OfflineInterval] {
        try await accessing(writing: false) { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT id, started_at, ended_at, causes, evidence, 0 AS sales
                    FROM offline_periods ORDER BY id DESC LIMIT ?
                    """, arguments: [limit]
            ).map { Self.interval(from: $0) }
        }
    }

    /// Removes the periods that ended before a moment (Unix milliseconds), some in each transaction.
    package func removeEnded(before moment: Int64) async throws(StorageError) {
        while try await removed(endedBefore: moment) == Self.portion {}
    }

    /// A few milliseconds of work, which a sale at the start may wait for.
    private static let portion = 1_000

    private func removed(endedBefore moment: Int64) async throws(StorageError) -> Int {
        try await accessing(writing: true) { connection in
            try connection.execute(
                sql: """
                    DELETE FROM offline_periods WHERE id IN (
                        SELECT id FROM offline_periods WHERE ended_at < ? ORDER BY id LIMIT ?)
                    """, arguments: [moment, Self.portion])
            return connection.changesCount
        }
    }

    private static func lasting(in connection: Database) throws -> OfflineInterval? {
        try Row.fetchOne(
            connection,
            sql: """
                SELECT id, started_at, ended_at, causes, evidence, 0 AS sales FROM offline_periods
                WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1
                """
        ).map { interval(from: $0) }
    }

    private static func interval(from row: Row) -> OfflineInterval {
        OfflineInterval(
            id: row["id"], startedAt: row["started_at"], endedAt: row["ended_at"],
            causes: list(row["causes"]), evidence: list(row["evidence"]), sales: row["sales"])
    }

    private static func column(_ names: [String]) -> String {
        JSONValue.array(names.map(JSONValue.string)).canonicalText
    }

    private static func list(_ column: String) -> [String] {
        (try? JSONParser.parse(Array(column.utf8)))?.array?.compactMap(\.string) ?? []
    }

    private func accessing<Value: Sendable>(
        writing: Bool, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do throws(StoreFailure) {
            return try await writing ? database.write(body) : database.read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
