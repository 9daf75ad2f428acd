extension PostgresLedger {
    public func keepOperator(name: String, tokenDigest: String, at now: Int64) async throws(LedgerError) {
        _ = try await database.ask { connection throws(PostgresError) in
            try connection.ask(
                "INSERT INTO operators VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE "
                    + "SET token_digest = excluded.token_digest, added_at = excluded.added_at",
                [.text(name), .text(tokenDigest), .integer(now)])
        }
    }

    public func operators() async throws(LedgerError) -> [String: String] {
        try await database.ask { connection throws(PostgresError) in
            var names: [String: String] = [:]
            for row in try connection.ask("SELECT token_digest, name FROM operators").rows {
                names[try row.text(0)] = try row.text(1)
            }
            return names
        }
    }
}
