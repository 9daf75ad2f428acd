internal import GRDBSQLite

/// The yardstick of a drain to SQLite: the rows that the hub has just written, written again through SQLite's
/// C interface into a copy of its tables, with its indexes and its durability.
///
/// One transaction a batch, one prepared statement a table, one update for each article that a batch sold.
/// The rows wait in memory and are handed over without being looked at.
final class RawIntakeSQLite: RawIntake {
    private let connection: OpaquePointer?
    private let batch: Int
    private var batches = 0

    /// - Parameter hub: the path of the hub's database, its catalogue imported.
    init(hub: String, path: String, batch: Int) throws(BenchFailure) {
        var opened: OpaquePointer?
        let code = sqlite3_open(path, &opened)
        connection = opened
        self.batch = batch
        try check(code)
        try run("PRAGMA journal_mode = WAL")
        try run("PRAGMA synchronous = FULL")
        try run("ATTACH '\(hub)' AS hub")
        try run("ATTACH ':memory:' AS waiting")
        let tables = Self.copied.map { "'\($0)'" }.joined(separator: ",")
        // Tables first: their indexes need them. What SQLite makes itself has no text.
        let definitions = try texts(
            "SELECT sql FROM hub.sqlite_master WHERE tbl_name IN (\(tables)) AND sql IS NOT NULL "
                + "ORDER BY type DESC")
        for definition in definitions { try run(definition) }
        try run("INSERT INTO main.products SELECT * FROM hub.products")
    }

    deinit { sqlite3_close(connection) }

    /// By the mutation, each table's column that names it.
    private static let rows = [("mutations", "id"), ("journal", "mutation_id"), ("orders", "mutation_id")]
    private static let copied = rows.map(\.0) + ["epochs", "products"]

    func load() throws(BenchFailure) {
        for table in Self.copied + ["batches", "sold"] { try run("DROP TABLE IF EXISTS waiting.\(table)") }
        try run(
            "CREATE TABLE waiting.batches AS SELECT id, document, "
                + "(ROW_NUMBER() OVER (ORDER BY hlc) - 1) / \(batch) AS batch FROM hub.mutations WHERE id NOT IN (SELECT id FROM main.mutations)"
        )
        for (table, key) in Self.rows {
            try run(
                "CREATE TABLE waiting.\(table) AS SELECT b.batch, t.* FROM hub.\(table) t "
                    + "JOIN waiting.batches b ON b.id = t.\(key) ORDER BY b.batch")
            try run("CREATE INDEX waiting.\(table)_batch ON \(table) (batch)")
        }
        try run(
            "CREATE TABLE waiting.sold AS SELECT b.batch, SUM(json_extract(line.value, '$.quantityMilli')), "
                + "json_extract(line.value, '$.sku') AS sku FROM waiting.batches b, "
                + "json_each(b.document, '$.payload.lines') line GROUP BY b.batch, sku")
        try run(
            "CREATE TABLE waiting.epochs AS SELECT b.batch, e.* FROM hub.epochs e "
                + "JOIN (SELECT DISTINCT batch FROM waiting.batches) b")
        batches = Int(try texts("SELECT MAX(batch) + 1 FROM waiting.batches").first ?? "") ?? 0
    }

    func insert() throws(BenchFailure) {
        var copies: [RawCopy] = []
        for (table, _) in Self.rows {
            copies.append(try RawCopy(connection, from: table, into: "INSERT INTO main.\(table)"))
        }
        copies.append(try RawCopy(connection, from: "epochs", into: "REPLACE INTO main.epochs"))
        copies.append(
            try RawCopy(
                connection, from: "sold",
                as: "UPDATE main.products SET sold_milli = sold_milli + ? WHERE sku = ?"))
        for batch in 0..<batches {
            // Not at once for writing: that would lock the hub's database as well, which the hub may write.
            try run("BEGIN")
            for copy in copies { try check(copy.run(batch: batch)) }
            try run("COMMIT")
        }
    }

    private func run(_ sql: String) throws(BenchFailure) {
        try check(sqlite3_exec(connection, sql, nil, nil, nil))
    }

    private func texts(_ sql: String) throws(BenchFailure) -> [String] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }

    private func check(_ code: Int32) throws(BenchFailure) {
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            let message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "not open"
            throw .sqlite(code: code, detail: message)
        }
    }
}

/// One table's waiting rows, handed over from one prepared statement to another.
private final class RawCopy {
    private var source: OpaquePointer?
    private var target: OpaquePointer?

    convenience init(
        _ connection: OpaquePointer?, from table: String, into sql: String
    ) throws(BenchFailure) {
        var probe: OpaquePointer?
        sqlite3_prepare_v2(connection, "SELECT * FROM waiting.\(table)", -1, &probe, nil)
        let columns = Int(sqlite3_column_count(probe)) - 1
        sqlite3_finalize(probe)
        let values = Array(repeating: "?", count: max(columns, 1)).joined(separator: ",")
        try self.init(connection, from: table, as: "\(sql) VALUES (\(values))")
    }

    init(_ connection: OpaquePointer?, from table: String, as sql: String) throws(BenchFailure) {
        let code = sqlite3_prepare_v2(
            connection, "SELECT * FROM waiting.\(table) WHERE batch = ?", -1, &source, nil)
        let other = sqlite3_prepare_v2(connection, sql, -1, &target, nil)
        guard code == SQLITE_OK, other == SQLITE_OK else {
            throw .sqlite(code: max(code, other), detail: "the rows of \(table) cannot be copied")
        }
    }

    deinit {
        sqlite3_finalize(source)
        sqlite3_finalize(target)
    }

    /// - Returns: `SQLITE_DONE`, or what went wrong.
    func run(batch: Int) -> Int32 {
        sqlite3_reset(source)
        sqlite3_bind_int64(source, 1, Int64(batch))
        while true {
            let step = sqlite3_step(source)
            guard step == SQLITE_ROW else { return step }
            for column in 1..<sqlite3_column_count(source) {
                sqlite3_bind_value(target, column, sqlite3_column_value(source, column))
            }
            let code = sqlite3_step(target)
            sqlite3_reset(target)
            guard code == SQLITE_DONE else { return code }
        }
    }
}

/// What a drain left in the hub's tables, written a second time by nothing but the database's own interface.
protocol RawIntake {
    /// Takes over what came into the hub's tables since the last time. Not part of the figure.
    func load() throws(BenchFailure)

    /// Writes it into a copy of the tables, in batches, each durable before the next.
    func insert() throws(BenchFailure)
}
