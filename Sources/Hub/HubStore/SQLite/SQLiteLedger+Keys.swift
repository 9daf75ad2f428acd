internal import GRDB

extension SQLiteLedger {
    public func keyRecord() async throws(LedgerError) -> KeyRecord {
        try await file.read { db in try Self.keyRecord(in: db) }
    }

    public func keep(_ record: KeyRecord, insteadOf old: KeyRecord) async throws(LedgerError) -> Bool {
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
        return KeyRecord(rows: Dictionary(rows.map { ($0[0], $0[1]) }) { _, last in last })
    }
}
