internal import HubCore
internal import GRDB

extension SQLiteLedger {
    public func lastEpoch(of terminalId: String) async throws(LedgerError) -> Int64? {
        try await file.read { db in try SQLiteIntake(db: db).lastEpoch(of: terminalId)?.epoch }
    }

    public func keep(_ ingest: IngestRecord) async throws(LedgerError) {
        try await writer.write { db in
            .keep(
                try db.run(
                    "INSERT OR IGNORE INTO ingests (terminal_id, ingested_at, entries, signed, reason) "
                        + "VALUES (?, ?, ?, ?, ?)",
                    [
                        ingest.terminalId, ingest.ingestedAt, ingest.entries, ingest.isSigned ? 1 : 0,
                        ingest.reason,
                    ]))
        }
    }

    public func receipts(orderNumber: String) async throws(LedgerError) -> [ReceiptEntry] {
        try await file.read { db in
            try db.all(
                "SELECT o.terminal_id, o.mutation_id, m.hash, o.total, o.currency, m.received_at "
                    + "FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_number = ? "
                    + "ORDER BY m.received_at, m.id LIMIT 10", [orderNumber]
            ).map { row in
                ReceiptEntry(
                    terminalId: row[0], mutationId: row[1], hash: row[2], total: row[3], currency: row[4],
                    receivedAt: row[5])
            }
        }
    }

    /// The files without a signature that were ingested, newest first; at most 20.
    static func unsignedIngests(of terminalId: String, in db: Database) throws -> [IngestRecord] {
        try db.all(
            "SELECT ingested_at, entries, reason FROM ingests WHERE terminal_id = ? AND signed = 0 "
                + "ORDER BY ingested_at DESC LIMIT 20", [terminalId]
        ).map { row in
            IngestRecord(
                terminalId: terminalId, ingestedAt: row[0], entries: row[1], isSigned: false, reason: row[2])
        }
    }
}
