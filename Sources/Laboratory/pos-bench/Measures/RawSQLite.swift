internal import GRDBSQLite

/// The yardstick of every durable write: SQLite's C interface with nothing above it, a write-ahead log with
/// `synchronous=FULL`, one table, prepared statements.
final class RawSQLite {
    private var connection: OpaquePointer?
    private var insert: OpaquePointer?
    private let payload: String

    /// - Parameter rowBytes: the text that each row carries.
    init(path: String, rowBytes: Int) throws(BenchFailure) {
        payload = String(repeating: "x", count: rowBytes)
        try check(sqlite3_open(path, &connection))
        for sql in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, text TEXT NOT NULL)",
        ] {
            try run(sql)
        }
        try check(sqlite3_prepare_v2(connection, "INSERT INTO rows VALUES (NULL, ?, ?)", -1, &insert, nil))
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(connection)
    }

    /// Runs statements in a database that another program may have open.
    static func run(_ sql: String, at path: String) throws(BenchFailure) {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_busy_timeout(connection, 5_000) == SQLITE_OK,
            sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK
        else {
            throw .programFailed(
                name: "SQLite", detail: String(cString: sqlite3_errmsg(connection)), lastErrors: "-")
        }
    }

    /// The first column of the first row, of a database that another program may have open.
    static func number(_ sql: String, at path: String) throws(BenchFailure) -> Int64 {
        var (connection, statement): (OpaquePointer?, OpaquePointer?)
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(connection)
        }
        guard sqlite3_open(path, &connection) == SQLITE_OK,
            sqlite3_busy_timeout(connection, 5_000) == SQLITE_OK,
            sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else {
            throw .programFailed(
                name: "SQLite", detail: String(cString: sqlite3_errmsg(connection)), lastErrors: "-")
        }
        return sqlite3_column_int64(statement, 0)
    }

    /// One transaction of `count` rows, durable when this returns.
    func commit(rows count: Int) throws(BenchFailure) {
        try run("BEGIN IMMEDIATE")
        for number in 0..<count { try add(Int64(number)) }
        try run("COMMIT")
    }

    private func add(_ amount: Int64) throws(BenchFailure) {
        sqlite3_bind_int64(insert, 1, amount)
        // No destructor: the string outlives the step.
        let code = payload.withCString { text in
            sqlite3_bind_text(insert, 2, text, -1, nil)
            return sqlite3_step(insert)
        }
        sqlite3_reset(insert)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    private func run(_ sql: String) throws(BenchFailure) {
        try check(sqlite3_exec(connection, sql, nil, nil, nil))
    }

    private func check(_ code: Int32) throws(BenchFailure) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> BenchFailure {
        .sqlite(code: code, detail: connection.map { String(cString: sqlite3_errmsg($0)) } ?? "not open")
    }
}
