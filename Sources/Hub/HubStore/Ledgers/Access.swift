package import HubCore

/// What the store of orders holds of the hub's keys.
extension Ledger {
    /// Keeps an operator; a known name gets the new role, token and login code, and loses its password.
    package func keepOperator(_ record: OperatorRecord) async throws(LedgerError) {
        try await change { session in
            try session.run(
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
                    record.name, record.tokenDigest, record.addedAt, record.role.rawValue,
                    record.tokenExpiresAt, record.loginCodeDigest, record.passwordHash,
                ])
        }
    }

    /// The operator whose token has the digest; nil for nobody's. A read by the index of digests.
    package func operatorRecord(tokenDigest: String) async throws(LedgerError) -> OperatorRecord? {
        try await read { session in try session.operators("WHERE token_digest = $1", [tokenDigest]).first }
    }

    /// All operators, by name. By the bytes of the names; a row with a role that this version does not have
    /// is left out.
    package func operators() async throws(LedgerError) -> [OperatorRecord] {
        try await read { session in
            try session.operators("ORDER BY \(session.dialect.inBytes("name"))", [])
        }
    }

    /// Removes an operator with token and password.
    ///
    /// - Returns: whether there was one of that name.
    package func removeOperator(name: String) async throws(LedgerError) -> Bool {
        try await change { session in
            try session.first("DELETE FROM operators WHERE name = $1 RETURNING 1", [name]) != nil
        }
    }

    /// Sets a password and uses the login code up, in one step: of two that race one wins.
    ///
    /// - Returns: whether the operator had that unused code.
    package func setOperatorPassword(
        name: String, hash: String, loginCodeDigest: String
    ) async throws(LedgerError) -> Bool {
        try await change { session in
            try session.first(
                """
                UPDATE operators SET password_hash = $1, login_code_digest = NULL
                    WHERE name = $2 AND login_code_digest = $3 RETURNING 1
                """, [hash, name, loginCodeDigest]) != nil
        }
    }

    /// A read of the table `meta`; it waits for no writer.
    package func keyRecord() async throws(LedgerError) -> KeyRecord {
        try await read { session in try session.keyRecord() }
    }

    /// Replaces what is held, when that is still `old`.
    ///
    /// - Returns: false when another process was faster; nothing was written.
    package func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool {
        try await write { session in
            try session.lock(.keys)
            guard try session.keyRecord() == old else { return .undo(false) }
            for (key, value) in record.rows {
                if let value {
                    try session.run(
                        "INSERT INTO meta (key, value) VALUES ($1, $2) "
                            + "ON CONFLICT (key) DO UPDATE SET value = $2", [key, value])
                } else {
                    try session.run("DELETE FROM meta WHERE key = $1", [key])
                }
            }
            return .keep(true)
        }
    }
}

extension StoreSession {
    fileprivate func keyRecord() throws -> KeyRecord {
        try KeyRecord(
            rows: rows(KeyRecord.selection).reduce(into: [:]) {
                $0[try $1["key"]] = try $1["value"] as String
            })
    }
}

extension StoreSession {
    fileprivate func operators(
        _ condition: String, _ values: [any StoreConvertible]
    ) throws -> [OperatorRecord] {
        try rows(
            "SELECT name, token_digest, added_at, role, token_expires_at, login_code_digest, password_hash "
                + "FROM operators " + condition, values
        ).compactMap { row in
            guard let role = OperatorRole(rawValue: try row["role"]) else { return nil }
            return try OperatorRecord(
                name: row["name"], role: role, tokenDigest: row["token_digest"],
                tokenExpiresAt: row["token_expires_at"], loginCodeDigest: row["login_code_digest"],
                passwordHash: row["password_hash"], addedAt: row["added_at"])
        }
    }
}
