extension PostgresLedger {
    public func keyRecord() async throws(LedgerError) -> KeyRecord {
        try await database.perform { connection throws(PostgresError) in try Self.keyRecord(on: connection) }
    }

    public func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool {
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
        for row in try connection.query(KeyRecord.selection).rows { rows[try row.text(0)] = try row.text(1) }
        return KeyRecord(rows: rows)
    }
}
