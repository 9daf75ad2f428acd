internal import GRDB
internal import HubProtocol

/// The history of offline periods. At most one lasts at a time.
public struct SQLiteOfflinePeriods: Sendable {
    /// Why the history was not read or written.
    public enum Failure: Error, Hashable, Sendable {
        /// The store on disk failed; `detail` is its own text.
        case unavailable(detail: String)
    }

    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// The terminal is offline: begins a period, or adds to the one that lasts (from before a restart, too)
    /// the causes and evidence that it does not have yet.
    public func noteOffline(
        at wallMilliseconds: Int64, causes: [String], evidence: [String]
    ) async throws(Failure) {
        try await writing { connection in
            guard let period = try Self.lasting(in: connection) else {
                return try connection.execute(
                    sql: """
                        INSERT INTO offline_periods (started_at, causes, evidence, first_sequence)
                        VALUES (?, ?, ?, (SELECT sequence + 1 FROM terminal))
                        """,
                    arguments: [wallMilliseconds, Self.column(causes), Self.column(evidence)])
            }
            try connection.execute(
                sql: "UPDATE offline_periods SET causes = ?, evidence = ? WHERE id = ?",
                arguments: [
                    Self.column(Self.joined(Self.list(period["causes"]), causes)),
                    Self.column(Self.joined(Self.list(period["evidence"]), evidence).suffix(20)),
                    period["id"] as Int64,
                ])
        }
    }

    /// The terminal is online: ends the period that lasts, if one does.
    public func noteOnline(at wallMilliseconds: Int64) async throws(Failure) {
        try await writing { connection in
            try connection.execute(
                sql: """
                    UPDATE offline_periods SET ended_at = max(?, started_at),
                        last_sequence = (SELECT sequence FROM terminal)
                    WHERE ended_at IS NULL
                    """, arguments: [wallMilliseconds])
        }
    }

    /// The newest periods first, at most `limit`.
    public func newest(limit: Int = 100) async throws(Failure) -> [OfflinePeriod] {
        do throws(StoreFailure) {
            return try await database.read { connection in
                let rows = try Row.fetchAll(
                    connection,
                    sql: """
                        SELECT offline_periods.*, (
                            SELECT count(*) FROM orders WHERE mode = 'offline'
                            AND sequence BETWEEN first_sequence
                                AND COALESCE(last_sequence, (SELECT sequence FROM terminal))
                        ) AS sales FROM offline_periods ORDER BY id DESC LIMIT ?
                        """, arguments: [limit])
                return rows.map { row in
                    OfflinePeriod(
                        id: row["id"], startedAt: row["started_at"], endedAt: row["ended_at"],
                        causes: Self.list(row["causes"]), evidence: Self.list(row["evidence"]),
                        sales: row["sales"])
                }
            }
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// When the newest periods began and ended and why, without their sales, which take a while to count.
    public func newestCauses(limit: Int) async throws(Failure) -> [OfflinePeriod] {
        do throws(StoreFailure) {
            return try await database.read { connection in
                try Row.fetchAll(
                    connection, sql: "SELECT * FROM offline_periods ORDER BY id DESC LIMIT ?",
                    arguments: [limit]
                ).map { row in
                    OfflinePeriod(
                        id: row["id"], startedAt: row["started_at"], endedAt: row["ended_at"],
                        causes: Self.list(row["causes"]), evidence: [], sales: 0)
                }
            }
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    private static func lasting(in connection: Database) throws -> Row? {
        try Row.fetchOne(
            connection, sql: "SELECT * FROM offline_periods WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1")
    }

    private static func joined(_ known: [String], _ new: [String]) -> [String] {
        known + new.filter { !known.contains($0) }
    }

    private static func column(_ words: some Sequence<String>) -> String {
        JSONValue.array(words.map(JSONValue.string)).canonicalText
    }

    private static func list(_ column: String) -> [String] {
        (try? JSONParser.parse(Array(column.utf8)))?.array?.compactMap(\.string) ?? []
    }

    private func writing(
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(Failure) {
        do throws(StoreFailure) {
            try await database.write(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
