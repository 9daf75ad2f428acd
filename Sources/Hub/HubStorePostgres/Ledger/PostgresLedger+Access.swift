package import HubCore
package import HubStore

extension PostgresLedger {
    /// Inserts or replaces the row of this name in one statement; of two at once the later remains.
    package func keepOperator(_ record: OperatorRecord) async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in
            try connection.query(
                """
                INSERT INTO operators
                    (name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)
                    ON CONFLICT (name) DO UPDATE SET token_digest = excluded.token_digest,
                        added_at = excluded.added_at, role = excluded.role,
                        token_expires_at = excluded.token_expires_at,
                        login_code_digest = excluded.login_code_digest,
                        password_hash = excluded.password_hash
                """,
                [
                    .text(record.name), .text(record.tokenDigest), .integer(record.addedAt),
                    .text(record.role.rawValue), .integer(record.tokenExpiresAt),
                    .text(record.loginCodeDigest), .text(record.passwordHash),
                ])
        }
    }

    /// By the bytes of the names, as the SQLite store sorts them; a row with an unknown role is left out.
    package func operators() async throws(LedgerError) -> [OperatorRecord] {
        try await database.perform { connection throws(PostgresError) in
            var records: [OperatorRecord] = []
            for row in try connection.query(
                """
                SELECT name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash
                    FROM operators ORDER BY name COLLATE "C"
                """
            ).rows {
                guard let role = OperatorRole(rawValue: try row.text("role")) else { continue }
                records.append(
                    OperatorRecord(
                        name: try row.text("name"), role: role, tokenDigest: try row.text("token_digest"),
                        tokenExpiresAt: try row.optionalInteger("token_expires_at"),
                        loginCodeDigest: try row.optionalText("login_code_digest"),
                        passwordHash: try row.optionalText("password_hash"),
                        addedAt: try row.integer("added_at")))
            }
            return records
        }
    }

    /// One statement, a transaction of its own.
    package func removeOperator(name: String) async throws(LedgerError) -> Bool {
        try await database.perform { connection throws(PostgresError) in
            try connection.query("DELETE FROM operators WHERE name = $1 RETURNING 1", [.text(name)]).rows
                .count
                > 0
        }
    }

    /// One conditional update: the row's lock decides between two hubs.
    package func setOperatorPassword(
        name: String, hash: String, loginCodeDigest: String
    ) async throws(LedgerError) -> Bool {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                """
                UPDATE operators SET password_hash = $1, login_code_digest = NULL
                    WHERE name = $2 AND login_code_digest = $3 RETURNING 1
                """, [.text(hash), .text(name), .text(loginCodeDigest)]
            ).rows.count > 0
        }
    }
}

extension PostgresLedger {
    /// A read of the table `meta` without a lock.
    package func keyRecord() async throws(LedgerError) -> KeyRecord {
        try await database.perform { connection throws(PostgresError) in try Self.keyRecord(on: connection) }
    }

    /// Behind the lock of the keys, so that two hubs never replace the same record.
    package func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresLock.keys.statement])
            guard try Self.keyRecord(on: connection) == old else { return .undo(false) }
            for (key, value) in record.rows {
                if let value {
                    try connection.query(
                        "INSERT INTO meta (key, value) VALUES ($1, $2) "
                            + "ON CONFLICT (key) DO UPDATE SET value = $2",
                        [.text(key), .text(value)])
                } else {
                    try connection.query("DELETE FROM meta WHERE key = $1", [.text(key)])
                }
            }
            return .keep(true)
        }
    }

    private static func keyRecord(on connection: PostgresConnection) throws(PostgresError) -> KeyRecord {
        var rows: [String: String] = [:]
        for row in try connection.query(KeyRecord.selection).rows {
            rows[try row.text("key")] = try row.text("value")
        }
        return KeyRecord(rows: rows)
    }
}
