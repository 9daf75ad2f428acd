package import HubCore
internal import HubProtocol
package import HubStore

/// The ledger in a PostgreSQL database, which any number of hubs share.
///
/// What must not race is ordered by the database: the journal of a terminal by an advisory lock, a key by
/// its primary key, stock by its rows, the change feed by a lock of its own.
package final class PostgresLedger: Ledger, PostgresStore {
    let database: PostgresDatabase
    let intake: PostgresIntakeQueue

    package var memory: IntakeMemory { intake.memory }

    /// Opens the database at `url`, making or migrating the tables as needed.
    package convenience init(url: String) throws(LedgerError) {
        try self.init(url: url, budget: PushBudget())
    }

    /// - Parameter longest: how long a call waits for the database. Tests that run beside hundreds of others
    ///   give it longer.
    init(
        url: String, budget: PushBudget, longest: Duration = PostgresDeadlines.longest
    ) throws(LedgerError) {
        database = try PostgresDatabase(url: url, schema: .ledger, longest: longest)
        intake = PostgresIntakeQueue(database, budget, longest: longest)
    }

    /// Writes nothing; throws ``LedgerError/unavailable(_:)`` for a replica and for a server that is
    /// read-only.
    package func checkWritable() async throws(LedgerError) {
        let readOnly = try await database.perform { connection throws(PostgresError) in
            let query = PostgresStatement("SELECT current_setting('transaction_read_only')")
            return try connection.query([query], within: 1).first?.first?.optionalText(0)
        }
        if readOnly != "off" { throw .unavailable("the server is read-only") }
    }

    /// Shares a transaction with other waiting pushes of this process; throws ``LedgerError/tooCostly`` past
    /// its budget, and for half a minute after.
    package func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        try await intake.take(request)
    }

    /// Closes the connections; a call after this opens them again.
    package func close() {
        database.close()
    }
}
