package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// Shares a transaction with other waiting pushes of this process; throws ``LedgerError/tooCostly`` past
    /// its budget, and for half a minute after.
    package func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        try await intake.take(request)
    }

    /// Behind the journal's lock, as the pushes of the terminal are.
    package func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) {
        let request = IntakeRequest(
            device: device, epoch: nil, lowSequence: nil, mutations: [], receivedAt: now, head: claim)
        try await database.write { connection throws(PostgresError) in
            let intake = PostgresIntake(on: connection, from: HybridLogicalClock())
            try intake.read([request])
            do {
                try HeadRecorder(store: intake, terminalId: device.terminalId, now: now).note(
                    claim, beside: intake.lastEpoch(of: device.terminalId))
            } catch let error as PostgresError {
                throw error
            } catch {
                throw .refused(state: "-----", message: "\(error)")
            }
            _ = try intake.write()
            return .keep(())
        }
    }
}

extension PostgresLedger {
    /// One row for kind, terminal and day: a repetition raises its count.
    package func raise(_ alarm: Alarm) async throws(LedgerError) {
        try await database.perform { connection throws(PostgresError) in
            if let rows = PostgresAlarms.raising([alarm]) { try connection.query([rows]) }
        }
    }

    /// The newest repetition first; nil in `terminal` means all terminals.
    package func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT kind, terminal_id, mutation_id, detail, raised_at, last_at, count FROM alarms "
                    + "WHERE $1::text IS NULL OR terminal_id = $1 ORDER BY last_at DESC, id DESC LIMIT $2",
                [.text(terminal), .integer(Int64(limit))]
            ).rows.map { row throws(PostgresError) in
                RaisedAlarm(
                    first: Alarm(
                        kind: try row.text("kind"), terminalId: try row.text("terminal_id"),
                        mutationId: try row.optionalText("mutation_id"),
                        detail: try row.optionalText("detail"), at: try row.integer("raised_at")),
                    lastAt: try row.integer("last_at"), count: try row.integer("count"))
            }
        }
    }
}

/// Alarms as rows of the database.
enum PostgresAlarms {
    /// Raises them in one statement, the same ones of a day counted together; nil for none.
    static func raising(_ alarms: [Alarm]) -> PostgresStatement? {
        guard !alarms.isEmpty else { return nil }
        // In one order, so that two hubs that raise several of the same ones do not wait for each other; and
        // each once, since one statement changes a row once.
        let groups = Dictionary(grouping: alarms) {
            Key(kind: $0.kind, terminalId: $0.terminalId, day: $0.day)
        }
        .sorted { $0.key < $1.key }
        func texts(_ text: (Alarm) -> String?) -> PostgresValue {
            .texts(groups.map { $0.value.first.flatMap(text) })
        }
        func integers(_ number: ([Alarm]) -> Int64?) -> PostgresValue {
            .integers(groups.map { number($0.value) })
        }
        return PostgresStatement(
            "INSERT INTO alarms (kind, terminal_id, day, mutation_id, detail, raised_at, last_at, count) "
                + "SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], "
                + "$6::bigint[], $7::bigint[], $8::bigint[]) ON CONFLICT (kind, terminal_id, day) "
                + "DO UPDATE SET last_at = GREATEST(alarms.last_at, excluded.last_at), "
                + "count = alarms.count + excluded.count",
            [
                texts(\.kind), texts(\.terminalId), integers(\.first?.day), texts(\.mutationId),
                texts(\.detail), integers { $0.map(\.at).min() }, integers { $0.map(\.at).max() },
                integers { Int64($0.count) },
            ])
    }

    private struct Key: Hashable, Comparable {
        let kind: String
        let terminalId: String
        let day: Int64

        static func < (left: Key, right: Key) -> Bool {
            (left.kind, left.terminalId, left.day) < (right.kind, right.terminalId, right.day)
        }
    }
}

extension PostgresLedger {
    /// A read by primary key without a lock.
    package func lastEpoch(of terminalId: String) async throws(LedgerError) -> Int64? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1", [.text(terminalId)]
            ).first?.optionalInteger(0)
        }
    }

    /// One row for terminal and millisecond; a repetition is passed over.
    package func keep(_ ingest: IngestRecord) async throws(LedgerError) {
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

    /// A read by the index of order numbers, without a lock.
    package func receipt(_ code: ReceiptCode) async throws(LedgerError) -> ReceiptRefund {
        try await database.perform { connection throws(PostgresError) in
            let query: PostgresRefundable.Query = { sql, values throws(PostgresError) in
                try connection.query(sql, values)
            }
            let order = try PostgresRefundable(
                .number(code.orderNumber), isLocked: false, query: query
            ).order
            let seller = try order.terminalId.map { id throws(PostgresError) in
                try PostgresRefundable.signer(id, query: query)
            }
            return ReceiptRefund(
                code, signer: try PostgresRefundable.signer(code.terminalId, query: query),
                seller: seller ?? nil, order: order)
        }
    }

    /// A read by the index of order numbers.
    package func receipts(orderNumber: String) async throws(LedgerError) -> [ReceiptEntry] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT o.terminal_id, o.mutation_id, m.hash, o.total, o.currency, m.received_at "
                    + "FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_number = $1 "
                    + "ORDER BY m.received_at, m.id LIMIT 10", [.text(orderNumber)]
            ).rows.map { row throws(PostgresError) in
                ReceiptEntry(
                    terminalId: try row.text("terminal_id"), mutationId: try row.text("mutation_id"),
                    hash: try row.text("hash"),
                    total: try row.integer("total"), currency: try row.text("currency"),
                    receivedAt: try row.integer("received_at"))
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
                terminalId: terminalId, ingestedAt: try row.integer("ingested_at"),
                entries: try row.integer("entries"),
                isSigned: false, reason: try row.optionalText("reason"))
        }
    }
}
