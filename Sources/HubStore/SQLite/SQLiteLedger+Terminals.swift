internal import GRDB
public import HubCore

extension SQLiteLedger {
    public func keepEnrolmentCode(
        digest: String, storeId: String, expiresAt: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            .keep(
                try db.run(
                    "INSERT INTO enrolment_codes VALUES (?, ?, ?, NULL)", [digest, storeId, expiresAt]))
        }
    }

    public func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64
    ) async throws(LedgerError) -> TerminalRecord? {
        try await writer.write { db in .keep(try Self.enrol(applicant, at: now, in: db)) }
    }

    private static func enrol(
        _ applicant: EnrolmentApplicant, at now: Int64, in db: Database
    ) throws -> TerminalRecord? {
        let code = try db.first(
            "SELECT store_id FROM enrolment_codes WHERE digest = ? AND terminal_id IS NULL AND expires_at > ?",
            [applicant.codeDigest, now])
        guard let storeId: String = code?[0] else { return nil }
        let highest: Int64? = try db.first(
            "SELECT MAX(number) FROM terminals WHERE store_id = ?", [storeId])?[0]
        let record = TerminalRecord(
            id: applicant.terminalId, storeId: storeId, number: (highest ?? 0) + 1, name: applicant.name,
            publicKey: applicant.publicKey, enrolledAt: now, revokedAt: nil,
            tokenExpiresAt: applicant.tokenExpiresAt)
        try db.run(
            "INSERT INTO terminals VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            [
                record.id, record.storeId, record.number, record.name, record.publicKey, record.enrolledAt,
                record.tokenExpiresAt,
            ])
        try db.run(
            "UPDATE enrolment_codes SET terminal_id = ? WHERE digest = ?", [record.id, applicant.codeDigest])
        return record
    }

    public func terminal(_ id: String) async throws(LedgerError) -> TerminalRecord? {
        try await file.read { db in try Self.terminal(id, in: db) }
    }

    public func terminals() async throws(LedgerError) -> [TerminalRecord] {
        try await file.read { db in
            try db.all("SELECT * FROM terminals ORDER BY enrolled_at, id", []).map(Self.terminal(from:))
        }
    }

    public func revoke(_ id: String, at now: Int64) async throws(LedgerError) -> TerminalRecord? {
        try await writer.write { db in
            try db.run(
                "UPDATE terminals SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [now, id])
            return .keep(try Self.terminal(id, in: db))
        }
    }

    public func renew(_ id: String, tokenExpiresAt: Int64) async throws(LedgerError) {
        try await writer.write { db in
            .keep(try db.run("UPDATE terminals SET token_expires_at = ? WHERE id = ?", [tokenExpiresAt, id]))
        }
    }

    private static func terminal(_ id: String, in db: Database) throws -> TerminalRecord? {
        try db.first("SELECT * FROM terminals WHERE id = ?", [id]).map(terminal(from:))
    }

    private static func terminal(from row: Row) -> TerminalRecord {
        TerminalRecord(
            id: row["id"], storeId: row["store_id"], number: row["number"], name: row["name"],
            publicKey: row["public_key"], enrolledAt: row["enrolled_at"], revokedAt: row["revoked_at"],
            tokenExpiresAt: row["token_expires_at"])
    }
}
