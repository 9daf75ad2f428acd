public import HubProtocol

/// The QoS store in a PostgreSQL database.
public final class PostgresQoSLedger: QoSLedger {
    let database: PostgresDatabase

    /// Changes of a service that are kept; older ones are dropped.
    private static let maximumHistory: Int64 = 1_000

    /// Opens the database at `url`, making or migrating the tables as needed.
    public init(url: String) throws(LedgerError) {
        database = try PostgresDatabase(url: url, schema: .qos)
    }

    public func load() async throws(LedgerError) -> QoSMemory {
        try await database.ask { connection throws(PostgresError) in
            let issuer = try connection.ask("SELECT value FROM qos_meta WHERE key = 'issuer'").first
            var services: [String: QoSMemory.Kept] = [:]
            for row in try connection.ask("SELECT service, generation, state FROM qos_services").rows {
                services[try row.text(0)] = QoSMemory.Kept(
                    generation: try row.integer(1), state: PostgresLedger.document(row.optionalText(2)))
            }
            return QoSMemory(issuer: issuer?.optionalText(0) ?? "", services: services)
        }
    }

    public func keep(
        service: String, generation: Int64, state: JSONValue, change: JSONValue
    ) async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in
            try connection.ask([
                PostgresStatement(
                    "INSERT INTO qos_services AS kept VALUES ($1, $2, $3) ON CONFLICT (service) DO UPDATE "
                        + "SET generation = $2, state = $3 WHERE kept.generation <= $2",
                    [.text(service), .integer(generation), .text(state.canonicalText)]),
                PostgresStatement(
                    "INSERT INTO qos_history (service, change) VALUES ($1, $2)",
                    [.text(service), .text(change.canonicalText)]),
                PostgresStatement(
                    "DELETE FROM qos_history WHERE service = $1 AND id <= (SELECT id FROM qos_history "
                        + "WHERE service = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
                    [.text(service), .integer(Self.maximumHistory)]),
            ])
        }
    }

    public func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "SELECT change FROM qos_history WHERE service = $1 ORDER BY id DESC LIMIT $2",
                [.text(service), .integer(Int64(limit))]
            ).rows.map { PostgresLedger.document($0.optionalText(0)) }
        }
    }

    public func checkWritable() async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in try connection.ask("SELECT 1") }
    }
}
