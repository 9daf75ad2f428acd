internal import GRDB
package import HubCore
package import HubStore

extension SQLiteLedger {
    /// Replaces the row of this name, password included, in one statement.
    package func keepOperator(_ record: OperatorRecord) async throws(LedgerError) {
        try await writer.write { db in
            .keep(
                try db.run(
                    """
                    INSERT OR REPLACE INTO operators
                        (name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        record.name, record.tokenDigest, record.addedAt, record.role.rawValue,
                        record.tokenExpiresAt, record.loginCodeDigest, record.passwordHash,
                    ]))
        }
    }

    /// A row with a role that this version does not have is left out.
    package func operators() async throws(LedgerError) -> [OperatorRecord] {
        try await file.read { db in
            try db.all(
                """
                SELECT name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash
                    FROM operators ORDER BY name
                """, []
            ).compactMap { row in
                OperatorRole(rawValue: row["role"]).map {
                    OperatorRecord(
                        name: row["name"], role: $0, tokenDigest: row["token_digest"],
                        tokenExpiresAt: row["token_expires_at"],
                        loginCodeDigest: row["login_code_digest"], passwordHash: row["password_hash"],
                        addedAt: row["added_at"])
                }
            }
        }
    }

    /// One statement; false for a name that is not there.
    package func removeOperator(name: String) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            try db.run("DELETE FROM operators WHERE name = ?", [name])
            return .keep(db.changesCount > 0)
        }
    }

    /// One conditional update, so a login code that was used before changes nothing.
    package func setOperatorPassword(
        name: String, hash: String, loginCodeDigest: String
    ) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            try db.run(
                """
                UPDATE operators SET password_hash = ?, login_code_digest = NULL
                    WHERE name = ? AND login_code_digest = ?
                """, [hash, name, loginCodeDigest])
            return .keep(db.changesCount > 0)
        }
    }
}

extension SQLiteLedger {
    /// A read of the table `meta`; it waits for no writer.
    package func keyRecord() async throws(LedgerError) -> KeyRecord {
        try await file.read { db in try Self.keyRecord(in: db) }
    }

    /// Compares and replaces in one write transaction; false, with nothing changed, when another process was
    /// first.
    package func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool {
        try await writer.write { db in
            guard try Self.keyRecord(in: db) == old else { return .undo(false) }
            for (key, value) in record.rows {
                if let value {
                    try db.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [key, value])
                } else {
                    try db.run("DELETE FROM meta WHERE key = ?", [key])
                }
            }
            return .keep(true)
        }
    }

    private static func keyRecord(in db: Database) throws -> KeyRecord {
        let rows = try db.all(KeyRecord.selection, [])
        return KeyRecord(rows: Dictionary(rows.map { ($0["key"], $0["value"]) }) { _, last in last })
    }
}
