extension PostgresLedger {
    public func lastEpoch(of terminalId: String) async throws(LedgerError) -> Int64? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1", [.text(terminalId)]
            ).first?.optionalInteger(0)
        }
    }

    public func keep(_ ingest: IngestRecord) async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "INSERT INTO ingests (terminal_id, ingested_at, entries, signed, reason) "
                    + "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                [
                    .text(ingest.terminalId), .integer(ingest.ingestedAt), .integer(ingest.entries),
                    .integer(ingest.isSigned ? 1 : 0), .text(ingest.reason),
                ])
        }
    }

    public func receipts(orderNumber: String) async throws(LedgerError) -> [ReceiptEntry] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT o.terminal_id, o.mutation_id, m.hash, o.total, o.currency, m.received_at "
                    + "FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_number = $1 "
                    + "ORDER BY m.received_at, m.id LIMIT 10", [.text(orderNumber)]
            ).rows.map { row throws(PostgresError) in
                ReceiptEntry(
                    terminalId: try row.text(0), mutationId: try row.text(1), hash: try row.text(2),
                    total: try row.integer(3), currency: try row.text(4), receivedAt: try row.integer(5))
            }
        }
    }

    /// The files without a signature that were ingested, newest first; at most 20.
    static func unsignedIngests(
        of terminalId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> [IngestRecord] {
        try connection.query(
            "SELECT ingested_at, entries, reason FROM ingests WHERE terminal_id = $1 AND signed = 0 "
                + "ORDER BY ingested_at DESC LIMIT 20", [.text(terminalId)]
        ).rows.map { row throws(PostgresError) in
            IngestRecord(
                terminalId: terminalId, ingestedAt: try row.integer(0), entries: try row.integer(1),
                isSigned: false, reason: row.optionalText(2))
        }
    }
}
