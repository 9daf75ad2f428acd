public import HubCore

extension PostgresLedger {
    public func keepOperator(_ record: OperatorRecord) async throws(LedgerError) {
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

    public func operators() async throws(LedgerError) -> [OperatorRecord] {
        try await database.perform { connection throws(PostgresError) in
            var records: [OperatorRecord] = []
            for row in try connection.query(
                """
                SELECT name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash
                    FROM operators ORDER BY name COLLATE "C"
                """
            ).rows {
                guard let role = OperatorRole(rawValue: try row.text(3)) else { continue }
                records.append(
                    OperatorRecord(
                        name: try row.text(0), role: role, tokenDigest: try row.text(1),
                        tokenExpiresAt: row.optionalInteger(4), loginCodeDigest: row.optionalText(5),
                        passwordHash: row.optionalText(6), addedAt: try row.integer(2)))
            }
            return records
        }
    }

    public func removeOperator(name: String) async throws(LedgerError) -> Bool {
        try await database.perform { connection throws(PostgresError) in
            try connection.query("DELETE FROM operators WHERE name = $1 RETURNING 1", [.text(name)]).rows
                .count
                > 0
        }
    }

    public func setOperatorPassword(
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
