public import HubCore

extension PostgresLedger {
    private static let columns =
        "id, store_id, number, name, public_key, enrolled_at, revoked_at, token_expires_at"

    public func keepEnrolmentCode(
        digest: String, storeId: String, expiresAt: Int64
    ) async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "INSERT INTO enrolment_codes VALUES ($1, $2, $3, NULL)",
                [.text(digest), .text(storeId), .integer(expiresAt)])
        }
    }

    public func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64
    ) async throws(LedgerError) -> TerminalRecord? {
        try await database.write { connection throws(PostgresError) in
            .keep(try Self.enrol(applicant, at: now, on: connection))
        }
    }

    /// The code's row is locked: of two that show the same code, the second finds it used. Two that take the
    /// same number collide, and one of them counts again.
    private static func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalRecord? {
        let code = try connection.ask(
            "SELECT store_id FROM enrolment_codes WHERE digest = $1 AND terminal_id IS NULL "
                + "AND expires_at > $2 FOR UPDATE", [.text(applicant.codeDigest), .integer(now)]
        ).first
        guard let storeId = code?.optionalText(0) else { return nil }
        let highest = try connection.ask(
            "SELECT MAX(number) FROM terminals WHERE store_id = $1", [.text(storeId)]
        ).first?.optionalInteger(0)
        let record = TerminalRecord(
            id: applicant.terminalId, storeId: storeId, number: (highest ?? 0) + 1, name: applicant.name,
            publicKey: applicant.publicKey, enrolledAt: now, revokedAt: nil,
            tokenExpiresAt: applicant.tokenExpiresAt)
        try connection.ask([
            PostgresStatement(
                "INSERT INTO terminals (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, NULL, $7)",
                [
                    .text(record.id), .text(record.storeId), .integer(record.number), .text(record.name),
                    .text(record.publicKey), .integer(record.enrolledAt), .integer(record.tokenExpiresAt),
                ]),
            PostgresStatement(
                "UPDATE enrolment_codes SET terminal_id = $1 WHERE digest = $2",
                [.text(record.id), .text(applicant.codeDigest)]),
        ])
        return record
    }

    public func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask("SELECT \(Self.columns) FROM terminals WHERE id = $1", [.text(id)])
                .first.map(Self.terminal)
        }
    }

    public func terminals() async throws(LedgerError) -> [TerminalRecord] {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask("SELECT \(Self.columns) FROM terminals ORDER BY enrolled_at, id")
                .rows.map(Self.terminal)
        }
    }

    public func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord? {
        try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "UPDATE terminals SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2 "
                    + "RETURNING \(Self.columns)", [.integer(now), .text(id)]
            ).first.map(Self.terminal)
        }
    }

    public func renew(_ id: String, tokenExpiresAt: Int64) async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "UPDATE terminals SET token_expires_at = $1 WHERE id = $2",
                [.integer(tokenExpiresAt), .text(id)])
        }
    }

    private static func terminal(from row: PostgresRow) throws(PostgresError) -> TerminalRecord {
        TerminalRecord(
            id: try row.text(0), storeId: try row.text(1), number: try row.integer(2), name: try row.text(3),
            publicKey: try row.text(4), enrolledAt: try row.integer(5), revokedAt: row.optionalInteger(6),
            tokenExpiresAt: try row.integer(7))
    }
}
