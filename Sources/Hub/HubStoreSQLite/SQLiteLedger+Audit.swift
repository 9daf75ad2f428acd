internal import GRDB
internal import HubCore
internal import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// One read transaction that computes every hash anew, so it reads whole journals; pushes go on
    /// meanwhile.
    package func audit(terminal: String?) async throws(LedgerError) -> [TerminalAudit] {
        try await file.read { db in
            let ids = try String.fetchAll(
                db, sql: "SELECT id FROM terminals WHERE ?1 IS NULL OR id = ?1 ORDER BY enrolled_at, id",
                arguments: [terminal])
            return try ids.map { id in try Self.audit(of: id, in: db) }
        }
    }

    private static func audit(of terminalId: String, in db: Database) throws -> TerminalAudit {
        let intake = SQLiteIntake(db: db)
        let epochs = try intake.epochs(of: terminalId)
        let epoch = epochs.last
        let devices = try devices(of: terminalId, in: db)
        let heads = try heads(of: terminalId, devices, beside: epoch, with: intake, in: db)
        let comparison = EpochComparison(
            store: intake, terminalId: terminalId, terminalIds: devices,
            journalStart: heads.last?.origin?.journalStart)
        let gaps = try epoch.map { epoch in
            try intake.gaps(
                above: epoch.acknowledgedThrough, below: epoch.highest,
                in: JournalPlace(terminalId: terminalId, epoch: epoch.epoch))
        }
        let counts = try db.first(
            "SELECT COUNT(*) AS received, COUNT(*) FILTER (WHERE outcome <> 'applied') AS rejected FROM mutations "
                + "WHERE terminal_id = ?", [terminalId])
        let orders: Int64? = try db.first("SELECT COUNT(*) FROM orders WHERE terminal_id = ?", [terminalId])?[
            0]
        return TerminalAudit(
            terminalId: terminalId, acknowledgedThrough: epoch?.acknowledgedThrough ?? 0,
            received: counts?["received"] ?? 0, rejected: counts?["rejected"] ?? 0,
            missing: JournalEpoch.listed(gaps ?? []), brokenAt: try brokenAt(terminalId, in: db),
            orders: orders ?? 0, totals: try totals(of: terminalId, in: db),
            voided: SaleSum(amounts: try totals(of: terminalId, voided: true, in: db)),
            refunds: SaleSum(amounts: try refunds(of: terminalId, in: db)),
            refused: try refusedSales(terminalId, discarded: false, in: db),
            discarded: try refusedSales(terminalId, discarded: true, in: db),
            heads: heads, missingBefore: try comparison.gaps(among: epochs).map(MissingEntries.init),
            skippedEpochs: EpochComparison<SQLiteIntake>.skipped(among: epochs),
            unsignedIngests: try unsignedIngests(of: terminalId, in: db),
            differingSums: try differingSums(of: terminalId, in: db))
    }

    /// Compares orders and figures with the documents that their sums were taken from.
    private static func differingSums(of terminalId: String, in db: Database) throws -> [String] {
        let rows = try Row.fetchCursor(
            db, sql: KeptSums.query + "WHERE m.terminal_id = ? AND " + KeptSums.condition,
            arguments: [terminalId])
        var differing: [String] = []
        while differing.count < TerminalAudit.listedSums, let row = try rows.next() {
            var kept = KeptSums()
            (kept.total, kept.currency) = (row["total"], row["currency"])
            (kept.gross, kept.discounts) = (row["gross"], row["discounts"])
            (kept.refunds, kept.tax) = (row["refunds"], row["tax"])
            (kept.isVoided, kept.voidGross) = ((row["voided_by"] as String?) != nil, row["void_gross"])
            let payload = JSONValue.stored(row["document"])["payload"] ?? .null
            if !kept.agree(with: payload, of: row["type"]) { differing.append(row["id"]) }
        }
        return differing
    }

    /// The terminal, and those under which the same device was enrolled in its store.
    private static func devices(of terminalId: String, in db: Database) throws -> [String] {
        let ids = try String.fetchAll(
            db,
            sql: "SELECT same.id FROM terminals own JOIN terminals same ON same.store_id = own.store_id "
                + "AND same.device = own.device WHERE own.id = ?", arguments: [terminalId])
        return [terminalId] + ids.filter { $0 != terminalId }
    }

    private static func heads(
        of terminalId: String, _ devices: [String], beside epoch: JournalEpoch?, with intake: SQLiteIntake,
        in db: Database
    ) throws -> HeadAudit {
        var witnesses: [Int64: JournalWitness] = [:]
        for row in try db.all(
            "SELECT epoch, head, seen_at, state FROM heads WHERE terminal_id = ?", [terminalId])
        {
            witnesses[row["epoch"]] = JournalWitness(
                head: row["head"], seenAt: row["seen_at"], state: row["state"])
        }
        return try HeadAudit(witnesses: witnesses, epoch: epoch) { sequence in
            try db.first(
                "SELECT COUNT(*) FROM journal WHERE terminal_id = ? AND epoch = ? AND sequence <= ?",
                [terminalId, epoch?.epoch, sequence])?[0] ?? 0
        } holds: { sequence, hash in
            try intake.held(sequence, hash: hash, by: devices) != nil
        }
    }

    /// In two halves, since a sum of hostile amounts overflows, and with it the audit of all.
    ///
    /// - Parameter voided: only what was voided.
    private static func totals(
        of terminalId: String, voided: Bool = false, in db: Database
    ) throws -> [CurrencySum] {
        try db.all(
            "SELECT currency, COUNT(*) AS orders, SUM(total >> 32) AS high, "
                + "SUM(total & 4294967295) AS low FROM orders "
                + "WHERE terminal_id = ? AND (NOT ? OR voided_by IS NOT NULL) "
                + "GROUP BY currency ORDER BY COUNT(*) DESC, currency LIMIT ?",
            [terminalId, voided, CurrencySum.maximum]
        ).map(sum)
    }

    /// In the currency of their sales, else in the one that they name themselves.
    private static func refunds(of terminalId: String, in db: Database) throws -> [CurrencySum] {
        try db.all(
            "SELECT COALESCE(o.currency, r.currency, ?) AS currency, COUNT(*) AS orders, SUM(r.total >> 32) AS high, "
                + "SUM(r.total & 4294967295) AS low FROM refunds r JOIN mutations m ON m.id = r.mutation_id "
                + "LEFT JOIN orders o ON o.order_id = r.order_id AND o.repeats = 0 "
                + "WHERE m.terminal_id = ? GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT ?",
            [NoCurrency.code, terminalId, CurrencySum.maximum]
        ).map(sum)
    }

    private static func sum(of row: Row) -> CurrencySum {
        CurrencySum(currency: row["currency"], orders: row["orders"], high: row["high"], low: row["low"])
    }

    /// Walks the whole journal and computes every hash anew from the documents that are kept.
    private static func brokenAt(_ terminalId: String, in db: Database) throws -> Int64? {
        var chain = JournalChain()
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT j.epoch, j.sequence, m.document FROM journal j "
                + "LEFT JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? ORDER BY j.epoch, j.sequence", arguments: [terminalId])
        while let row = try rows.next(), chain.brokenAt == nil {
            let json = JSONValue.stored(row["document"])
            let mutation = try? Mutation(json: json)
            chain.follow(
                JournalChain.Link(
                    epoch: row["epoch"], sequence: row["sequence"],
                    previousHash: json["previousHash"]?.string ?? "",
                    hash: json["hash"]?.string ?? "",
                    isHashRight: mutation.map { $0.computedHash == $0.hash } ?? false))
        }
        return chain.brokenAt
    }
}

extension SQLiteLedger {
    /// The sales of a till that were refused and that no edit replaces, discarded by a person or not.
    static func refusedSales(
        _ terminalId: String, discarded: Bool, in db: Database
    ) throws -> SaleSum {
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT document FROM mutations m WHERE terminal_id = ? AND outcome <> 'applied' "
                + "AND \(EntryRows.isDiscarded("m.id", of: "m.terminal_id")) = ? "
                + "AND NOT \(EntryRows.isEdited("m.id", of: "m.terminal_id"))",
            arguments: [terminalId, discarded])
        var counter = SaleCounter()
        while let row = try rows.next() { counter.add(JSONValue.stored(row[0])) }
        return counter.sum
    }
}
