package import HubProtocol

/// A QoS store of which all but the exchange of reports is written once, over SQL.
package protocol SQLQoSLedger: SQLStore, QoSLedger {
    /// What the names of its tables begin with.
    static var tables: String { get }
}

/// Changes of a service that are kept; older ones are dropped.
private let maximumHistory = 1_000

extension SQLQoSLedger {
    /// The issuer, then the services.
    package func load() async throws(LedgerError) -> QoSMemory {
        try await read { session in
            let issuer = try session.first("SELECT value FROM \(Self.tables)meta WHERE key = 'issuer'")
            let services = try session.rows("SELECT service, generation, state FROM \(Self.tables)services")
            return QoSMemory(
                issuer: try issuer?[0] ?? "",
                services: try services.reduce(into: [:]) { services, row in
                    services[try row[0]] = QoSMemory.Kept(
                        generation: try row[1], state: JSONValue.stored(try row[2]))
                })
        }
    }

    /// Compare-and-set on the service's row: another hub's transaction is waited for and decides who is
    /// first. The oldest history beyond 1,000 changes goes.
    package func decide(_ decision: QoSKeptDecision) async throws(LedgerError) -> QoSOutcome {
        try await write { session in
            // The second one waits for the row, or for its insertion, and then finds the other generation.
            let written = try session.first(
                "INSERT INTO \(Self.tables)services AS kept (service, generation, state) VALUES ($1, $2, $3) "
                    + "ON CONFLICT (service) DO UPDATE "
                    + "SET generation = $2, state = $3 WHERE kept.generation = $4 RETURNING generation",
                [decision.service, decision.generation, decision.state.canonicalText, decision.previous])
            guard written == nil else {
                try session.run(Self.history(of: decision))
                return .keep(.kept)
            }
            let kept = try session.first(
                "SELECT generation, state FROM \(Self.tables)services WHERE service = $1", [decision.service])
            return .undo(
                .overtaken(
                    by: .init(generation: try kept?[0] ?? 0, state: JSONValue.stored(try kept?[1]))))
        }
    }

    private static func history(of decision: QoSKeptDecision) -> [StoreQuery] {
        decision.changes.map { change in
            StoreQuery(
                "INSERT INTO \(tables)history (service, change) VALUES ($1, $2)",
                of: [decision.service, change.canonicalText])
        } + [
            StoreQuery(
                "DELETE FROM \(tables)history WHERE service = $1 AND id <= (SELECT id FROM \(tables)history "
                    + "WHERE service = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
                of: [decision.service, maximumHistory])
        ]
    }

    /// A read of at most `limit` rows; it waits for no writer.
    package func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await read { session in
            try session.rows(
                "SELECT change FROM \(Self.tables)history WHERE service = $1 ORDER BY id DESC LIMIT $2",
                [service, limit]
            ).map { JSONValue.stored(try $0[0]) }
        }
    }

    /// One statement; of two at once the later remains.
    package func propose(_ proposal: QoSProposal) async throws(LedgerError) {
        try await change { session in
            try session.run(
                "INSERT INTO \(Self.tables)proposals (service, id, expires_at, document) "
                    + "VALUES ($1, $2, $3, $4) "
                    + "ON CONFLICT (service) DO UPDATE SET id = $2, expires_at = $3, document = $4",
                [proposal.service, proposal.id, proposal.expiresAt, proposal.json.canonicalText])
        }
    }

    /// A read of a few rows at most.
    package func proposals(at now: Int64) async throws(LedgerError) -> [QoSProposal] {
        try await read { session in
            try session.rows(
                "SELECT document FROM \(Self.tables)proposals WHERE expires_at > $1 ORDER BY service", [now]
            ).compactMap { try? QoSProposal(json: JSONValue.stored(try $0[0])) }
        }
    }

    /// One statement deletes and returns it: the row's lock decides between two hubs.
    package func takeProposal(of service: String, id: String?) async throws(LedgerError) -> QoSProposal? {
        try await change { session in
            try session.first(
                "DELETE FROM \(Self.tables)proposals WHERE service = $1 "
                    + "AND (CAST($2 AS TEXT) IS NULL OR id = $2) RETURNING document", [service, id]
            ).flatMap { try? QoSProposal(json: JSONValue.stored(try $0[0])) }
        }
    }
}
