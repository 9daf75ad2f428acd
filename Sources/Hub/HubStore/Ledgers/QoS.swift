package import HubProtocol

/// The store of the QoS role: small, and apart from the orders, so that it works when they do not.
package protocol QoSLedger: SQLStore {
    /// What the names of its tables begin with.
    static var tables: String { get }

    /// Leaves what terminals reported here for the other processes that decide in this store, and takes what
    /// they left, each report once.
    ///
    /// - Parameters:
    ///   - process: this process; its own reports do not come back.
    ///   - position: of the last exchange; nil at the first, which takes nothing that was left before.
    ///   - now: milliseconds since 1970; what is older than the longest window is dropped.
    /// - Returns: the others' reports, and the position for the next exchange.
    func exchange(
        _ reports: [SharedReport], of process: String, after position: Int64?, at now: Int64
    ) async throws(LedgerError) -> (reports: [SharedReport], position: Int64)

    /// Whether a transaction that writes can begin now.
    func checkWritable() async throws(LedgerError)
}

/// Changes of a service that are kept; older ones are dropped.
private let maximumHistory = 1_000

extension QoSLedger {
    /// What was kept before. The issuer, then the services.
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

    /// Keeps a service's state and the changes that led to it, if the store still holds the generation that
    /// they were made from, or nothing at all. Of two processes that decide at once one is second, and is
    /// given what the first kept. Compare-and-set on the service's row: another hub's transaction is waited
    /// for and decides who is first. The oldest history beyond 1,000 changes goes.
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

    /// The last changes of a service, newest first. A read of at most `limit` rows; it waits for no writer.
    package func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await read { session in
            try session.rows(
                "SELECT change FROM \(Self.tables)history WHERE service = $1 ORDER BY id DESC LIMIT $2",
                [service, limit]
            ).map { JSONValue.stored(try $0[0]) }
        }
    }

    /// Keeps an override that waits for a second operator, in the place of an earlier one of its service. One
    /// statement; of two at once the later remains.
    package func propose(_ proposal: QoSProposal) async throws(LedgerError) {
        try await change { session in
            try session.run(
                "INSERT INTO \(Self.tables)proposals (service, id, expires_at, document) "
                    + "VALUES ($1, $2, $3, $4) "
                    + "ON CONFLICT (service) DO UPDATE SET id = $2, expires_at = $3, document = $4",
                [proposal.service, proposal.id, proposal.expiresAt, proposal.json.canonicalText])
        }
    }

    /// What waits, by service; what is over at `now` (milliseconds since 1970) is left out. A read of a few
    /// rows at most.
    package func proposals(at now: Int64) async throws(LedgerError) -> [QoSProposal] {
        try await read { session in
            try session.rows(
                "SELECT document FROM \(Self.tables)proposals WHERE expires_at > $1 ORDER BY service", [now]
            ).compactMap { try? QoSProposal(json: JSONValue.stored(try $0[0])) }
        }
    }

    /// Takes the proposal of a service away: of two that confirm it one gets it. One statement deletes and
    /// returns it: the row's lock decides between two hubs.
    ///
    /// - Parameter id: the one that is meant; nil for any.
    /// - Returns: nil when there is none of that id.
    package func takeProposal(of service: String, id: String?) async throws(LedgerError) -> QoSProposal? {
        try await change { session in
            try session.first(
                "DELETE FROM \(Self.tables)proposals WHERE service = $1 "
                    + "AND (CAST($2 AS TEXT) IS NULL OR id = $2) RETURNING document", [service, id]
            ).flatMap { try? QoSProposal(json: JSONValue.stored(try $0[0])) }
        }
    }
}
