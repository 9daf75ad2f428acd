package import HubCore
package import HubStore

extension PostgresLedger {
    private static let columns =
        "id, store_id, number, name, public_key, enrolled_at, revoked_at, token_expires_at, "
        + "unconfirmed_since, renewal_date"

    /// One read without a lock.
    package func isEnrolmentCodeOpen(_ digests: [String], at now: Int64) async throws(LedgerError) -> Bool {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT 1 FROM enrolment_codes WHERE digest = ANY($1::text[]) AND terminal_id IS NULL "
                    + "AND revoked_at IS NULL AND expires_at > $2 LIMIT 1",
                [.texts(digests), .integer(now)]
            ).first != nil
        }
    }

    /// Locks the code's row and the store's number to the end of the transaction.
    package func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64
    ) async throws(LedgerError) -> TerminalRecord? {
        try await database.write { connection throws(PostgresError) in
            .keep(try Self.enrol(applicant, at: now, on: connection))
        }
    }

    /// The code's row is locked: of two that show the same code, the second finds it used.
    private static func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalRecord? {
        guard let (digest, storeId) = try openCode(applicant.codeDigests, at: now, on: connection) else {
            return nil
        }
        try connection.query([PostgresLock.enrolments.statement])
        let other = try connection.query(
            StoredRows.terminalElsewhere(key: "$1", store: "$2"),
            [.text(applicant.publicKey), .text(storeId)]
        ).first
        guard other == nil else { return nil }
        var numbers = try numbers(of: storeId, on: connection)
        let record = TerminalRecord(
            id: applicant.terminalId, storeId: storeId, number: numbers.next(), name: applicant.name,
            publicKey: applicant.publicKey, enrolledAt: now, revokedAt: nil,
            tokenExpiresAt: applicant.tokenExpiresAt)
        try keep(record, numbers, on: connection)
        try connection.query(
            "UPDATE enrolment_codes SET terminal_id = $1 WHERE digest = $2",
            [.text(record.id), .text(digest)])
        return record
    }

    /// The store's count, locked to the end of the transaction: two that are let in at once get two numbers.
    private static func numbers(
        of storeId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalNumbers {
        try connection.query(
            "INSERT INTO terminal_numbers (store_id, highest) VALUES ($1, 0) ON CONFLICT DO NOTHING",
            [.text(storeId)])
        let highest = try connection.query(
            "SELECT highest FROM terminal_numbers WHERE store_id = $1 FOR UPDATE", [.text(storeId)]
        ).first?.optionalInteger(0)
        return TerminalNumbers(highest: highest ?? 0)
    }

    private static func keep(
        _ record: TerminalRecord, _ numbers: TerminalNumbers, on connection: PostgresConnection
    ) throws(PostgresError) {
        try connection.query([
            PostgresStatement(
                "INSERT INTO terminals (\(columns), device) VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, $8, $9, "
                    + "\(StoredRows.device(ofKey: "$5::text", in: "$2::text")))",
                [
                    .text(record.id), .text(record.storeId), .integer(record.number), .text(record.name),
                    .text(record.publicKey), .integer(record.enrolledAt), .integer(record.tokenExpiresAt),
                    .integer(record.unconfirmedSince), .integer(record.renewalDate),
                ]),
            PostgresStatement(
                "UPDATE terminal_numbers SET highest = $1 WHERE store_id = $2",
                [.integer(numbers.highest), .text(record.storeId)]),
        ])
    }

    /// Behind the lock of the store's number; a terminal that another hub took back first is returned as it
    /// is.
    package func readmit(_ terminal: TerminalRecord) async throws(LedgerError) -> TerminalRecord {
        try await database.write { connection throws(PostgresError) in
            var numbers = try Self.numbers(of: terminal.storeId, on: connection)
            if let known = try Self.terminal(terminal.id, on: connection) { return .undo(known) }
            let taken = try connection.query(
                "SELECT 1 FROM terminals WHERE store_id = $1 AND number = $2",
                [.text(terminal.storeId), .integer(terminal.number)]
            ).first
            let record = terminal.numbered(numbers.readmitted(terminal.number, isTaken: taken != nil))
            try Self.keep(record, numbers, on: connection)
            return .keep(record)
        }
    }

    /// A read by primary key without a lock; nil for an unknown id.
    package func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await database.perform { connection throws(PostgresError) in
            try Self.terminal(id, on: connection)
        }
    }

    private static func terminal(
        _ id: String, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalRecord? {
        try connection.query("SELECT \(columns) FROM terminals WHERE id = $1", [.text(id)])
            .first.map(terminal)
    }

    /// A read; terminals that enrolled in the same millisecond are in order of their ids.
    package func terminals() async throws(LedgerError) -> [TerminalRecord] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query("SELECT \(Self.columns) FROM terminals ORDER BY enrolled_at, id")
                .rows.map(Self.terminal)
        }
    }

    /// Keeps the first date of a revocation; `now` is in milliseconds since 1970.
    package func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord? {
        try await changed("revoked_at = COALESCE(revoked_at, $1) WHERE id = $2", [.integer(now), .text(id)])
    }

    /// Confirming a confirmed terminal changes nothing; a revoked one stays revoked.
    package func confirm(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await changed("unconfirmed_since = NULL WHERE id = $1", [.text(id)])
    }

    /// One statement.
    package func link(_ id: String, to earlier: String) async throws(LedgerError) {
        try await database.perform { connection throws(PostgresError) in
            _ = try connection.query(
                StoredRows.link("$1::text", to: "$2::text"), [.text(id), .text(earlier)])
        }
    }

    /// One conditional update: of two hubs with one date a single one gets true. False for an unknown id too.
    package func renew(_ id: String, tokenExpiresAt: Int64, date: Int64) async throws(LedgerError) -> Bool {
        try await changed(
            "token_expires_at = $1, renewal_date = $2 "
                + "WHERE id = $3 AND (renewal_date IS NULL OR renewal_date < $2)",
            [.integer(tokenExpiresAt), .integer(date), .text(id)]) != nil
    }

    /// Changes one terminal; nil when the condition holds for none.
    private func changed(
        _ change: String, _ values: [PostgresValue]
    ) async throws(LedgerError) -> TerminalRecord? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query("UPDATE terminals SET \(change) RETURNING \(Self.columns)", values)
                .first.map(Self.terminal)
        }
    }

    private static func terminal(from row: PostgresRow) throws(PostgresError) -> TerminalRecord {
        TerminalRecord(
            id: try row.text("id"), storeId: try row.text("store_id"), number: try row.integer("number"),
            name: try row.text("name"),
            publicKey: try row.text("public_key"), enrolledAt: try row.integer("enrolled_at"),
            revokedAt: try row.optionalInteger("revoked_at"),
            tokenExpiresAt: try row.integer("token_expires_at"),
            unconfirmedSince: try row.optionalInteger("unconfirmed_since"),
            renewalDate: try row.optionalInteger("renewal_date"))
    }
}

/// Enrolment codes.
extension PostgresLedger {
    private static let codeColumns = "digest, store_id, expires_at, terminal_id, revoked_at"

    /// Fails for a digest that is known: codes are random.
    package func keepEnrolmentCode(
        digest: String, storeId: String, expiresAt: Int64
    ) async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "INSERT INTO enrolment_codes (digest, store_id, expires_at) VALUES ($1, $2, $3)",
                [.text(digest), .text(storeId), .integer(expiresAt)])
        }
    }

    /// A read; codes are known by the first 12 characters of their digests.
    package func enrolmentCodes(at now: Int64) async throws(LedgerError) -> [EnrolmentCodeRecord] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT \(Self.codeColumns) FROM enrolment_codes WHERE expires_at > $1 "
                    + "ORDER BY expires_at, digest", [.integer(now - EnrolmentCodeRecord.shownMilliseconds)]
            ).rows.map(Self.code)
        }
    }

    /// One conditional update; a used or revoked code stays as it is and gives nil.
    package func revokeEnrolmentCode(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> EnrolmentCodeRecord? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "UPDATE enrolment_codes SET revoked_at = $1 "
                    + "WHERE substr(digest, 1, \(EnrolmentCodeRecord.idLength)) = $2 "
                    + "AND terminal_id IS NULL AND revoked_at IS NULL RETURNING \(Self.codeColumns)",
                [.integer(now), .text(id)]
            ).first.map(Self.code)
        }
    }

    private static func code(from row: PostgresRow) throws(PostgresError) -> EnrolmentCodeRecord {
        EnrolmentCodeRecord(
            digest: try row.text("digest"), storeId: try row.text("store_id"),
            expiresAt: try row.integer("expires_at"),
            terminalId: try row.optionalText("terminal_id"), revokedAt: try row.optionalInteger("revoked_at"))
    }

    fileprivate static func openCode(
        _ digests: [String], at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> (digest: String, storeId: String)? {
        for digest in digests {
            let code = try connection.query(
                "SELECT store_id FROM enrolment_codes WHERE digest = $1 AND terminal_id IS NULL "
                    + "AND revoked_at IS NULL AND expires_at > $2 FOR UPDATE", [.text(digest), .integer(now)]
            ).first
            if let storeId = code?.optionalText(0) { return (digest, storeId) }
        }
        return nil
    }
}
