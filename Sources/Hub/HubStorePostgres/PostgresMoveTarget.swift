package import HubCore
package import HubStore

/// An empty database that a hub moves into.
package final class PostgresMoveTarget: StoreMoveTarget {
    private let url: String
    private let connection: PostgresConnection

    /// Connects to `url` and makes the tables.
    package init(url: String) throws(LedgerError) {
        self.url = url
        do throws(PostgresError) {
            connection = try PostgresConnection(url: url)
        } catch {
            throw error.ledgerError
        }
        for schema in [PostgresSchema.ledger, .qos] {
            try schema.migrate(connection, shownURL: PostgresURL.shown(url))
        }
    }

    package func begin(for tables: [MovedTable]) throws(LedgerError) {
        let anyRow = tables.map { "EXISTS (SELECT 1 FROM \($0.target))" }.joined(separator: " OR ")
        let isEmpty = try translating { () throws(PostgresError) in
            // A large move takes longer than a request may.
            try connection.query([
                PostgresStatement("SET idle_in_transaction_session_timeout = 0"), .begin,
                StoreLock.schema.statement,
            ])
            return try connection.query("SELECT \(anyRow)").first?.text(0) == "f"
        }
        guard isEmpty else { throw .notEmpty(path: PostgresURL.shown(url)) }
    }

    package func keep(
        feed: String, journal: String, clock: HybridLogicalClock, keys: KeyRecord, restoredAt: String?
    ) throws(LedgerError) {
        try translating { () throws(PostgresError) in
            try connection.query([
                PostgresStatement("UPDATE meta SET value = $1 WHERE key = 'feed'", [.text(feed)]),
                PostgresStatement("UPDATE meta SET value = $1 WHERE key = 'journal'", [.text(journal)]),
                PostgresStatement(
                    "UPDATE clock SET moment = GREATEST(moment, $1)",
                    [.integer(PostgresClock.moment(of: clock))]),
            ])
            for (key, value) in keys.rows + [("restored_at", restoredAt)] {
                guard let value else { continue }
                try connection.query(
                    "INSERT INTO meta (key, value) VALUES ($1, $2)", [.text(key), .text(value)])
            }
        }
    }

    package func keep(issuer: String) throws(LedgerError) {
        try translating { () throws(PostgresError) in
            _ = try connection.query("UPDATE qos_meta SET value = $1 WHERE key = 'issuer'", [.text(issuer)])
        }
    }

    package func insert(_ page: MovedPage, into table: MovedTable) throws(LedgerError) {
        let parameters = table.columns.enumerated().map { "$\($0.offset + 1)::\($0.element.arrayType)" }
        let values = page.columns.map { column -> PostgresValue in
            switch column {
            case .texts(let texts): .texts(texts)
            case .integers(let integers): .integers(integers)
            case .bytes(let blobs): .blobs(blobs)
            }
        }
        let insertion = PostgresStatement(
            "INSERT INTO \(table.target) (\(table.names)) "
                + "SELECT * FROM unnest(\(parameters.joined(separator: ", ")))", values)
        try translating { () throws(PostgresError) in _ = try connection.query([insertion]) }
    }

    package func commit() throws(LedgerError) {
        try translating { () throws(PostgresError) in
            for (table, column) in [
                ("changes", "position"), ("alarms", "id"), ("qos_history", "id"), ("payment_calls", "id"),
                ("journal_lives", "id"), ("member_changes", "id"), ("archives", "id"),
            ] {
                try connection.query(
                    "SELECT setval(pg_get_serial_sequence('\(table)', '\(column)'), "
                        + "(SELECT COALESCE(MAX(\(column)), 0) + 1 FROM \(table)), false)")
            }
            try connection.query(
                "SELECT setval(pg_get_serial_sequence('documents', 'number'), (\(JournalRows.last)) + 1, false)"
            )
            try connection.query([.commit])
        }
    }

    private func translating<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(LedgerError) -> Value {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw error.ledgerError
        }
    }
}

extension MovedTable.Column {
    fileprivate var arrayType: String {
        switch self {
        case .text: "text[]"
        case .integer: "bigint[]"
        case .bytes: "bytea[]"
        }
    }
}
