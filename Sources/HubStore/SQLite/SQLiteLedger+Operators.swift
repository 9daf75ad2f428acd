internal import GRDB

extension SQLiteLedger {
    public func keepOperator(name: String, tokenDigest: String, at now: Int64) async throws(LedgerError) {
        try await writer.write { db in
            .keep(try db.run("INSERT OR REPLACE INTO operators VALUES (?, ?, ?)", [name, tokenDigest, now]))
        }
    }

    public func operators() async throws(LedgerError) -> [String: String] {
        try await file.read { db in
            let rows = try db.all("SELECT token_digest, name FROM operators", [])
            return Dictionary(rows.map { ($0[0], $0[1]) }) { _, last in last }
        }
    }
}
