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
        try await database.perform { connection throws(PostgresError) in
            let issuer = try connection.query("SELECT value FROM qos_meta WHERE key = 'issuer'").first
            var services: [String: QoSMemory.Kept] = [:]
            for row in try connection.query("SELECT service, generation, state FROM qos_services").rows {
                services[try row.text(0)] = QoSMemory.Kept(
                    generation: try row.integer(1), state: PostgresLedger.document(row.optionalText(2)))
            }
            return QoSMemory(issuer: issuer?.optionalText(0) ?? "", services: services)
        }
    }

    public func decide(_ decision: QoSKeptDecision) async throws(LedgerError) -> QoSOutcome {
        try await database.write { connection throws(PostgresError) in
            // The second one waits for the row, or for its insertion, and then finds the other
            // generation.
            let written = try connection.query(
                "INSERT INTO qos_services AS kept (service, generation, state) VALUES ($1, $2, $3) "
                    + "ON CONFLICT (service) DO UPDATE "
                    + "SET generation = $2, state = $3 WHERE kept.generation = $4 RETURNING generation",
                [
                    .text(decision.service), .integer(decision.generation),
                    .text(decision.state.canonicalText), .integer(decision.previous),
                ])
            guard written.rows.isEmpty else {
                try connection.query(Self.history(of: decision))
                return .keep(.kept)
            }
            let kept = try connection.query(
                "SELECT generation, state FROM qos_services WHERE service = $1", [.text(decision.service)]
            ).first
            return .undo(
                .overtaken(
                    by: .init(
                        generation: kept?.optionalInteger(0) ?? 0,
                        state: PostgresLedger.document(kept?.optionalText(1)))))
        }
    }

    private static func history(of decision: QoSKeptDecision) -> [PostgresStatement] {
        decision.changes.map { change in
            PostgresStatement(
                "INSERT INTO qos_history (service, change) VALUES ($1, $2)",
                [.text(decision.service), .text(change.canonicalText)])
        } + [
            PostgresStatement(
                "DELETE FROM qos_history WHERE service = $1 AND id <= (SELECT id FROM qos_history "
                    + "WHERE service = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
                [.text(decision.service), .integer(maximumHistory)])
        ]
    }

    public func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT change FROM qos_history WHERE service = $1 ORDER BY id DESC LIMIT $2",
                [.text(service), .integer(Int64(limit))]
            ).rows.map { PostgresLedger.document($0.optionalText(0)) }
        }
    }

    public func checkWritable() async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in try connection.query("SELECT 1")
        }
    }
}
