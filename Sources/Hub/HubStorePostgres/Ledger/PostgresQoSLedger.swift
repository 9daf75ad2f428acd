package import HubProtocol
package import HubStore

/// The QoS store in a PostgreSQL database.
package final class PostgresQoSLedger: QoSLedger, PostgresStore {
    let database: PostgresDatabase

    /// Changes of a service that are kept; older ones are dropped.
    private static let maximumHistory: Int64 = 1_000

    /// Opens the database at `url`, making or migrating the tables as needed.
    package init(url: String) throws(LedgerError) {
        database = try PostgresDatabase(url: url, schema: .qos)
    }

    /// Two reads without a common transaction: the issuer, then the services.
    package func load() async throws(LedgerError) -> QoSMemory {
        try await database.perform { connection throws(PostgresError) in
            let issuer = try connection.query("SELECT value FROM qos_meta WHERE key = 'issuer'").first
            var services: [String: QoSMemory.Kept] = [:]
            for row in try connection.query("SELECT service, generation, state FROM qos_services").rows {
                services[try row.text("service")] = QoSMemory.Kept(
                    generation: try row.integer("generation"),
                    state: JSONValue.stored(try row.optionalText("state")))
            }
            return QoSMemory(issuer: issuer?.optionalText(0) ?? "", services: services)
        }
    }

    /// Compare-and-set on the service's row: another hub's transaction is waited for and decides who is
    /// first.
    package func decide(_ decision: QoSKeptDecision) async throws(LedgerError) -> QoSOutcome {
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
                        generation: try kept?.integer("generation") ?? 0,
                        state: JSONValue.stored(try kept?.optionalText("state")))))
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

    /// A read of at most `limit` rows without a lock.
    package func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT change FROM qos_history WHERE service = $1 ORDER BY id DESC LIMIT $2",
                [.text(service), .integer(Int64(limit))]
            ).rows.map { JSONValue.stored($0.optionalText(0)) }
        }
    }

    /// A round trip alone: it does not notice a server that is read-only.
    package func checkWritable() async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in try connection.query("SELECT 1")
        }
    }
}

extension PostgresQoSLedger {
    /// One statement; of two at once the later remains.
    package func propose(_ proposal: QoSProposal) async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "INSERT INTO qos_proposals (service, id, expires_at, document) VALUES ($1, $2, $3, $4) "
                    + "ON CONFLICT (service) DO UPDATE SET id = $2, expires_at = $3, document = $4",
                [
                    .text(proposal.service), .text(proposal.id), .integer(proposal.expiresAt),
                    .text(proposal.json.canonicalText),
                ])
        }
    }

    /// A read of a few rows at most.
    package func proposals(at now: Int64) async throws(LedgerError) -> [QoSProposal] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT document FROM qos_proposals WHERE expires_at > $1 ORDER BY service", [.integer(now)]
            ).rows.compactMap { QoSProposal(json: JSONValue.stored($0.optionalText(0))) }
        }
    }

    /// One statement deletes and returns it: the row's lock decides between two hubs.
    package func takeProposal(of service: String, id: String?) async throws(LedgerError) -> QoSProposal? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "DELETE FROM qos_proposals WHERE service = $1 AND ($2::text IS NULL OR id = $2) "
                    + "RETURNING document", [.text(service), .text(id)]
            ).first.flatMap { QoSProposal(json: JSONValue.stored($0.optionalText(0))) }
        }
    }
}

extension PostgresQoSLedger {
    /// Longer than the longest window of the rules.
    private static let keptMilliseconds: Int64 = 120_000

    /// Behind a lock, so that positions become visible in their order and no report is passed over.
    package func exchange(
        _ reports: [SharedReport], of process: String, after position: Int64?, at now: Int64
    ) async throws(LedgerError) -> (reports: [SharedReport], position: Int64) {
        try await database.write { connection throws(PostgresError) in
            let responses = try connection.query(
                [StoreLock.reports.statement, Self.left(reports, by: process, at: now)].compactMap(\.self)
                    + [Self.taken(by: process, after: position), Self.head, Self.dropped(at: now)])
            let (rows, head) = (responses[responses.count - 3], responses[responses.count - 2])
            let taken = try rows.rows.map { row throws(PostgresError) in
                SharedReport(
                    service: try row.text("service"), terminalId: try row.text("terminal_id"),
                    storeId: try row.text("store_id"),
                    ok: try row.integer("ok"), failed: try row.integer("failed"),
                    windowStart: try row.optionalInteger("window_start"))
            }
            return .keep((taken, head.first?.optionalInteger(0) ?? position ?? 0))
        }
    }

    private static func left(
        _ reports: [SharedReport], by process: String, at now: Int64
    ) -> PostgresStatement? {
        guard !reports.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO qos_reports (process, reported_at, service, terminal_id, store_id, ok, failed, "
                + "window_start) SELECT $1::text, $2::bigint, r.* FROM unnest($3::text[], $4::text[], "
                + "$5::text[], $6::bigint[], $7::bigint[], $8::bigint[]) AS r",
            [
                .text(process), .integer(now), .texts(of: reports, \.service),
                .texts(of: reports, \.terminalId), .texts(of: reports, \.storeId),
                .integers(of: reports, \.ok), .integers(of: reports, \.failed),
                .integers(reports.map(\.windowStart)),
            ])
    }

    private static func taken(by process: String, after position: Int64?) -> PostgresStatement {
        PostgresStatement(
            "SELECT service, terminal_id, store_id, ok, failed, window_start FROM qos_reports "
                + "WHERE id > $1 AND process <> $2 ORDER BY id", [.integer(position ?? .max), .text(process)])
    }

    private static let head = PostgresStatement("SELECT COALESCE(MAX(id), 0) FROM qos_reports")

    private static func dropped(at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM qos_reports WHERE reported_at < $1", [.integer(now - keptMilliseconds)])
    }
}
