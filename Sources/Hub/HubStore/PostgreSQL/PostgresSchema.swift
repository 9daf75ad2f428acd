/// The steps that make a database's tables, counted in `hub_schema`. A step that was released never changes.
///
/// The tables lie in the first schema of the connection's `search_path`, so that several hubs can share one
/// database. An advisory lock lets any number of processes start at once: one migrates, the others find it
/// done.
struct PostgresSchema: Sendable {
    /// What the steps are about; each has its own count.
    let name: String
    /// The statements of each step, oldest first.
    let steps: [[String]]

    /// Does the steps that the database lacks, all in one transaction.
    ///
    /// - Throws: ``LedgerError/newerSchema(path:found:known:)`` for a database of a newer hub, which is left
    ///   untouched.
    func migrate(_ connection: PostgresConnection, shownURL: String) throws(LedgerError) {
        let newer: Int?
        do throws(PostgresError) {
            newer = try PostgresDatabase.repeating(on: connection) { () throws(PostgresError) in
                try migrate(connection)
            }
        } catch {
            throw error.ledgerError
        }
        if let newer { throw .newerSchema(path: shownURL, found: newer, known: steps.count) }
    }

    /// - Returns: the version that was found, when it is a newer one.
    private func migrate(_ connection: PostgresConnection) throws(PostgresError) -> Int? {
        try connection.query([
            .begin, PostgresLock.schema.statement,
            PostgresStatement(
                "CREATE TABLE IF NOT EXISTS hub_schema (name TEXT PRIMARY KEY, version BIGINT NOT NULL)"),
        ])
        let row = try connection.query("SELECT version FROM hub_schema WHERE name = $1", [.text(name)]).first
        let found = Int(row?.optionalInteger(0) ?? 0)
        guard found <= steps.count else {
            try connection.query([.rollback])
            return found
        }
        for step in steps.dropFirst(found) {
            for statement in step { try connection.query(statement) }
        }
        try connection.query([
            PostgresStatement(
                "INSERT INTO hub_schema (name, version) VALUES ($1, $2) "
                    + "ON CONFLICT (name) DO UPDATE SET version = $2",
                [.text(name), .integer(Int64(steps.count))]),
            .commit,
        ])
        return nil
    }
}
