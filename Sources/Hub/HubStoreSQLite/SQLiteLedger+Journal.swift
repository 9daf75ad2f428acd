internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Shares a transaction with other waiting pushes by weight; throws ``LedgerError/tooCostly`` past its
    /// budget, and for half a minute after.
    ///
    /// A batch that small pushes wait for is accepted in parts, each durable before the next one: what a
    /// refusal or an error of a later part leaves of it is as if the terminal had sent the parts themselves.
    package func ingest(_ request: IntakeRequest) async throws(LedgerError) -> IntakeResponse {
        var (budget, part) = (penalties.budget, request)
        var results: [MutationResult] = []
        while true {
            let (response, spent) = try await take(part, within: budget, goesOn: !results.isEmpty)
            switch response {
            case .refused(let refusal):
                try await raise(refusal, for: request)
                return response
            case .results(let taken):
                results += taken.results
                guard results.count < request.mutations.count else {
                    return .results(MutationBatchResponse(results: results, taken.extent))
                }
                part = part.behind(taken.results.count)
                budget = budget.without(spent)
            }
        }
    }

    /// - Parameter goesOn: whether the push had a turn before.
    private func take(
        _ request: IntakeRequest, within budget: PushBudget, goesOn: Bool
    ) async throws(LedgerError) -> (response: IntakeResponse, spent: PushBudget.Spent) {
        typealias Taken = (response: IntakeResponse, spent: PushBudget.Spent)
        let penalties = penalties
        let taken = try await writer.write(
            weight: request.weight, goesOn: goesOn
        ) { [writer] db -> TransactionEnding<Taken?> in
            // Queried here, so that of many pushes that wait together the first one alone is paid for.
            guard !penalties.isRefused(request.device.terminalId) else { return .undo(nil) }
            do {
                let taken = try SQLiteIntake.run(
                    request, in: db, within: budget, isAwaited: { writer.isAwaited })
                if case .refused = taken.response { return .undo(taken) }
                return .keep(taken)
            } catch is BudgetSpent {
                penalties.refuse(request.device.terminalId)
                // An interrupted write has undone what others wrote, too.
                guard db.isInsideTransaction else { throw BudgetSpent() }
                return .undo(nil)
            }
        }
        guard let taken else { throw .tooCostly }
        return taken
    }

    /// One write transaction; the alarms that the head raises are in it.
    package func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            try HeadRecorder(store: intake, terminalId: device.terminalId, now: now).note(
                claim, beside: try intake.lastEpoch(of: device.terminalId))
            return .keep(())
        }
    }

    private func raise(_ refusal: JournalRefusal, for request: IntakeRequest) async throws(LedgerError) {
        let alarm = refusal.alarm(about: request)
        try await writer.write { db in .keep(try SQLiteIntake(db: db).raise(alarm)) }
    }
}

extension SQLiteLedger {
    /// One row for kind, terminal and day: a repetition raises its count.
    package func raise(_ alarm: Alarm) async throws(LedgerError) {
        try await writer.write { db in .keep(try db.raise(alarm)) }
    }

    /// The newest repetition first; nil in `terminal` means all terminals.
    package func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm] {
        try await file.read { db in
            try db.all(
                "SELECT kind, terminal_id, mutation_id, detail, raised_at, last_at, count FROM alarms "
                    + "WHERE ?1 IS NULL OR terminal_id = ?1 ORDER BY last_at DESC, id DESC LIMIT ?2",
                [terminal, limit]
            ).map { row in
                RaisedAlarm(
                    first: Alarm(
                        kind: row["kind"], terminalId: row["terminal_id"], mutationId: row["mutation_id"],
                        detail: row["detail"], at: row["raised_at"]),
                    lastAt: row["last_at"], count: row["count"])
            }
        }
    }
}

extension Database {
    func raise(_ alarm: Alarm) throws {
        try run(
            "INSERT INTO alarms (kind, terminal_id, day, mutation_id, detail, raised_at, last_at, count) "
                + "VALUES (?, ?, ?, ?, ?, ?6, ?6, 1) ON CONFLICT (kind, terminal_id, day) "
                + "DO UPDATE SET last_at = MAX(last_at, excluded.last_at), count = count + 1",
            [alarm.kind, alarm.terminalId, alarm.day, alarm.mutationId, alarm.detail, alarm.at])
    }
}

extension SQLiteLedger {
    /// A read by primary key; it waits for no writer.
    package func lastEpoch(of terminalId: String) async throws(LedgerError) -> Int64? {
        try await file.read { db in try SQLiteIntake(db: db).lastEpoch(of: terminalId)?.epoch }
    }

    /// One row for terminal and millisecond; a repetition is passed over.
    package func keep(_ ingest: IngestRecord) async throws(LedgerError) {
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

    /// A read by the index of order numbers, beside the writer.
    package func receipt(_ code: ReceiptCode) async throws(LedgerError) -> ReceiptRefund {
        try await file.read { db in try SQLiteIntake(db: db).receipt(code) }
    }

    /// A read by the index of order numbers.
    package func receipts(orderNumber: String) async throws(LedgerError) -> [ReceiptEntry] {
        try await file.read { db in
            try db.all(
                "SELECT o.terminal_id, o.mutation_id, m.hash, o.total, o.currency, m.received_at "
                    + "FROM orders o JOIN mutations m ON m.id = o.mutation_id WHERE o.order_number = ? "
                    + "ORDER BY m.received_at, m.id LIMIT 10", [orderNumber]
            ).map { row in
                ReceiptEntry(
                    terminalId: row["terminal_id"], mutationId: row["mutation_id"], hash: row["hash"],
                    total: row["total"], currency: row["currency"],
                    receivedAt: row["received_at"])
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
                terminalId: terminalId, ingestedAt: row["ingested_at"], entries: row["entries"],
                isSigned: false, reason: row["reason"])
        }
    }
}
