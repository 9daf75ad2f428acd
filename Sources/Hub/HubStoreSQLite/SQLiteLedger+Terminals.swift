internal import GRDB
package import HubCore
package import HubStore

extension SQLiteLedger {
    private static let columns =
        "id, store_id, number, name, public_key, enrolled_at, revoked_at, token_expires_at, "
        + "unconfirmed_since, renewal_date"
    private static let codeColumns = "digest, store_id, expires_at, terminal_id, revoked_at"

    /// Fails for a digest that is known: codes are random.
    package func keepEnrolmentCode(
        digest: String, storeId: String, expiresAt: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            .keep(
                try db.run(
                    "INSERT INTO enrolment_codes (digest, store_id, expires_at) VALUES (?, ?, ?)",
                    [digest, storeId, expiresAt]))
        }
    }

    /// A read; codes are known by the first 12 characters of their digests.
    package func enrolmentCodes(at now: Int64) async throws(LedgerError) -> [EnrolmentCodeRecord] {
        try await file.read { db in
            try db.all(
                "SELECT \(Self.codeColumns) FROM enrolment_codes "
                    + "WHERE expires_at > ? ORDER BY expires_at, digest",
                [now - EnrolmentCodeRecord.shownMilliseconds]
            ).map(Self.code(from:))
        }
    }

    /// One conditional update; a used or revoked code stays as it is and gives nil.
    package func revokeEnrolmentCode(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> EnrolmentCodeRecord? {
        try await writer.write { db in
            let rows = try db.all(
                "UPDATE enrolment_codes SET revoked_at = ? WHERE substr(digest, 1, ?) = ? "
                    + "AND terminal_id IS NULL AND revoked_at IS NULL RETURNING \(Self.codeColumns)",
                [now, EnrolmentCodeRecord.idLength, id])
            return .keep(rows.first.map(Self.code(from:)))
        }
    }

    private static func code(from row: Row) -> EnrolmentCodeRecord {
        EnrolmentCodeRecord(
            digest: row["digest"], storeId: row["store_id"], expiresAt: row["expires_at"],
            terminalId: row["terminal_id"], revokedAt: row["revoked_at"])
    }

    /// A read by primary key for each digest, in order.
    package func isEnrolmentCodeOpen(_ digests: [String], at now: Int64) async throws(LedgerError) -> Bool {
        try await file.read { db in try Self.openCode(digests, at: now, in: db) != nil }
    }

    /// Code, number and terminal in one write transaction; of two that show one code, the second gets nil.
    package func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64
    ) async throws(LedgerError) -> TerminalRecord? {
        try await writer.write { db in .keep(try Self.enrol(applicant, at: now, in: db)) }
    }

    private static func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64, in db: Database
    ) throws -> TerminalRecord? {
        guard let (digest, storeId) = try openCode(applicant.codeDigests, at: now, in: db) else { return nil }
        let other = try db.first(
            StoredRows.terminalElsewhere(key: "?", store: "?"), [applicant.publicKey, storeId])
        guard other == nil else { return nil }
        var numbers = try numbers(of: storeId, in: db)
        let record = TerminalRecord(
            id: applicant.terminalId, storeId: storeId, number: numbers.next(), name: applicant.name,
            publicKey: applicant.publicKey, enrolledAt: now, revokedAt: nil,
            tokenExpiresAt: applicant.tokenExpiresAt)
        try keep(record, numbers, in: db)
        try db.run("UPDATE enrolment_codes SET terminal_id = ? WHERE digest = ?", [record.id, digest])
        return record
    }

    private static func openCode(
        _ digests: [String], at now: Int64, in db: Database
    ) throws -> (digest: String, storeId: String)? {
        for digest in digests {
            let code = try db.first(
                "SELECT store_id FROM enrolment_codes WHERE digest = ? AND terminal_id IS NULL "
                    + "AND revoked_at IS NULL AND expires_at > ?", [digest, now])
            if let storeId: String = code?[0] { return (digest, storeId) }
        }
        return nil
    }

    private static func numbers(of storeId: String, in db: Database) throws -> TerminalNumbers {
        let highest: Int64? = try db.first(
            "SELECT highest FROM terminal_numbers WHERE store_id = ?", [storeId])?[0]
        return TerminalNumbers(highest: highest ?? 0)
    }

    private static func keep(_ record: TerminalRecord, _ numbers: TerminalNumbers, in db: Database) throws {
        try db.run(
            "INSERT INTO terminals (id, store_id, number, name, public_key, enrolled_at, token_expires_at, "
                + "unconfirmed_since, renewal_date, device) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
                + "\(StoredRows.device(ofKey: "?5", in: "?2")))",
            [
                record.id, record.storeId, record.number, record.name, record.publicKey, record.enrolledAt,
                record.tokenExpiresAt, record.unconfirmedSince, record.renewalDate,
            ])
        try db.run(
            "INSERT OR REPLACE INTO terminal_numbers (store_id, highest) VALUES (?, ?)",
            [record.storeId, numbers.highest])
    }

    /// Look-up and new number in one write transaction; a known terminal stays as it is.
    package func readmit(_ terminal: TerminalRecord) async throws(LedgerError) -> TerminalRecord {
        try await writer.write { db in
            if let known = try Self.terminal(terminal.id, in: db) { return .undo(known) }
            var numbers = try Self.numbers(of: terminal.storeId, in: db)
            let taken = try db.first(
                "SELECT 1 FROM terminals WHERE store_id = ? AND number = ?",
                [terminal.storeId, terminal.number])
            let record = terminal.numbered(numbers.readmitted(terminal.number, isTaken: taken != nil))
            try Self.keep(record, numbers, in: db)
            return .keep(record)
        }
    }

    /// A read by primary key; nil for an unknown id.
    package func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await file.read { db in try Self.terminal(id, in: db) }
    }

    /// A read; terminals that enrolled in the same millisecond are in order of their ids.
    package func terminals() async throws(LedgerError) -> [TerminalRecord] {
        try await file.read { db in
            try db.all("SELECT \(Self.columns) FROM terminals ORDER BY enrolled_at, id", []).map(
                Self.terminal(from:))
        }
    }

    /// Keeps the first date of a revocation; `now` is in milliseconds since 1970.
    package func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord? {
        try await writer.write { db in
            try db.run(
                "UPDATE terminals SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [now, id])
            return .keep(try Self.terminal(id, in: db))
        }
    }

    /// Confirming a confirmed terminal changes nothing; a revoked one stays revoked.
    package func confirm(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await writer.write { db in
            try db.run("UPDATE terminals SET unconfirmed_since = NULL WHERE id = ?", [id])
            return .keep(try Self.terminal(id, in: db))
        }
    }

    /// One write transaction.
    package func link(_ id: String, to earlier: String) async throws(LedgerError) {
        try await writer.write { db in
            .keep(try db.run(StoredRows.link("?1", to: "?2"), [id, earlier]))
        }
    }

    /// One conditional update: of two renewals with one date a single one gets true. False for an unknown id
    /// too.
    package func renew(_ id: String, tokenExpiresAt: Int64, date: Int64) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            let rows = try db.all(
                "UPDATE terminals SET token_expires_at = ?, renewal_date = ?2 "
                    + "WHERE id = ?3 AND (renewal_date IS NULL OR renewal_date < ?2) RETURNING id",
                [tokenExpiresAt, date, id])
            return .keep(!rows.isEmpty)
        }
    }

    private static func terminal(_ id: String, in db: Database) throws -> TerminalRecord? {
        try db.first("SELECT \(columns) FROM terminals WHERE id = ?", [id]).map(terminal(from:))
    }

    private static func terminal(from row: Row) -> TerminalRecord {
        TerminalRecord(
            id: row["id"], storeId: row["store_id"], number: row["number"], name: row["name"],
            publicKey: row["public_key"], enrolledAt: row["enrolled_at"], revokedAt: row["revoked_at"],
            tokenExpiresAt: row["token_expires_at"], unconfirmedSince: row["unconfirmed_since"],
            renewalDate: row["renewal_date"])
    }
}
