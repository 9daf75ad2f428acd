internal import GRDB
internal import HubCore

/// Moves a hub from its SQLite files into an empty PostgreSQL database, in one transaction.
///
/// Everything that a terminal has of the hub stays valid: its token (the key moves), its idempotency
/// keys and their responses, its place in the change feed (the feed's incarnation and positions move), and
/// what was decided on the services. The files stay as they are. Nobody may write them meanwhile.
public struct StoreMove: Sendable {
    private let ledger: String
    private let qos: String?
    private let keys: KeyRecord

    /// - Parameters:
    ///   - ledger: the path of the order store.
    ///   - qos: the path of the QoS store; nil when there is none.
    ///   - keys: the hub's keys as the database holds them from then on.
    public init(ledger: String, qos: String?, keys: KeyRecord) {
        self.ledger = ledger
        self.qos = qos
        self.keys = keys
    }

    /// Moves all of it.
    ///
    /// - Parameter reported: called with the share that is moved, from 0 to 1.
    /// - Returns: how many rows were moved.
    /// - Throws: ``LedgerError/notEmpty(path:)`` for a database that was written to.
    public func run(to url: String, reported: (Double) -> Void) throws(LedgerError) -> Int {
        let source = try SQLiteFile(path: ledger, schema: .ledger)
        let decisions: SQLiteFile? = if let qos { try SQLiteFile(path: qos, schema: .qos) } else { nil }
        defer {
            source.close()
            decisions?.close()
        }
        do {
            let connection = try Self.prepared(url)
            return try move(source, decisions, over: connection, reported)
        } catch let error as PostgresError {
            throw error.ledgerError
        } catch is NotEmpty {
            throw .notEmpty(path: PostgresURL.shown(url))
        } catch {
            throw SQLiteFile.translated(error)
        }
    }

    private struct NotEmpty: Error {}

    private static func prepared(_ url: String) throws -> PostgresConnection {
        let connection = try PostgresConnection(url: url)
        for schema in [PostgresSchema.ledger, .qos] {
            try schema.migrate(connection, shownURL: PostgresURL.shown(url))
        }
        return connection
    }

    private func move(
        _ source: SQLiteFile, _ decisions: SQLiteFile?, over connection: PostgresConnection,
        _ reported: (Double) -> Void
    ) throws -> Int {
        // A large move takes longer than a request may.
        try connection.query([
            PostgresStatement("SET idle_in_transaction_session_timeout = 0"), .begin,
            PostgresLock.schema.statement,
        ])
        guard try Self.isEmpty(connection) else { throw NotEmpty() }
        var count = try source.pool.read { db in
            try keepMeta(from: db, on: connection)
            return try copy(MovedTable.ledger, from: db, over: connection, reported)
        }
        count +=
            try decisions?.pool.read { db in
                try keepIssuer(from: db, on: connection)
                return try copy(MovedTable.qos, from: db, over: connection, reported)
            } ?? 0
        for (table, column) in [("changes", "position"), ("alarms", "id"), ("qos_history", "id")] {
            try connection.query(
                "SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'), "
                    + "(SELECT COALESCE(MAX(\(column)), 0) + 1 FROM \(table)), false)")
        }
        try connection.query([.commit])
        return count
    }

    private static func isEmpty(_ connection: PostgresConnection) throws -> Bool {
        let tables = (MovedTable.ledger + MovedTable.qos).map(\.target)
        let anyRow = tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
        return try connection.query("SELECT \(anyRow)").first?.text(0) == "f"
    }

    private func copy(
        _ tables: [MovedTable], from db: Database, over connection: PostgresConnection,
        _ reported: (Double) -> Void
    ) throws -> Int {
        let total = try tables.reduce(0) { sum, table in
            sum + (try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(table.source)") ?? 0)
        }
        var count = 0
        for table in tables {
            let rows = try Row.fetchCursor(db, sql: table.selection)
            var page: [Row] = []
            while let row = try rows.next() {
                page.append(row.copy())
                count += 1
                guard page.count == table.page else { continue }
                try connection.query([table.insertion(of: page)])
                page = []
                reported(Double(count) / Double(max(1, total)))
            }
            if !page.isEmpty { try connection.query([table.insertion(of: page)]) }
            reported(Double(count) / Double(max(1, total)))
        }
        return count
    }

    private func keepMeta(from db: Database, on connection: PostgresConnection) throws {
        let feed: String = try db.first("SELECT value FROM meta WHERE key = 'feed'", [])?[0] ?? ""
        let clock = try SQLiteIntake(db: db).clock()
        try connection.query([
            PostgresStatement("UPDATE meta SET value = $1 WHERE key = 'feed'", [.text(feed)]),
            PostgresStatement(
                "UPDATE clock SET moment = GREATEST(moment, $1)", [.integer(PostgresClock.moment(of: clock))]),
            PostgresStatement("DELETE FROM meta WHERE key = 'hub_key'"),
        ])
        for (key, value) in keys.rows {
            guard let value else { continue }
            try connection.query("INSERT INTO meta (key, value) VALUES ($1, $2)", [.text(key), .text(value)])
        }
    }

    private func keepIssuer(from db: Database, on connection: PostgresConnection) throws {
        let issuer: String? = try db.first("SELECT value FROM meta WHERE key = 'issuer'", [])?[0]
        try connection.query("UPDATE qos_meta SET value = $1 WHERE key = 'issuer'", [.text(issuer ?? "")])
    }
}
