internal import HubCore
internal import HubProtocol
package import HubStore

extension PostgresLedger {
    /// A read-only transaction with one snapshot that computes every hash anew; it takes long and blocks no
    /// push.
    package func audit(terminal: String?) async throws(LedgerError) -> [TerminalAudit] {
        try await database.perform(isLong: true) { connection throws(PostgresError) in
            // One snapshot for all of it, so that the counts belong together.
            try connection.query([PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")])
            let audits = Result { () throws(PostgresError) in
                let ids = try connection.query(
                    "SELECT id FROM terminals WHERE $1::text IS NULL OR id = $1 ORDER BY enrolled_at, id",
                    [.text(terminal)])
                return try ids.rows.map { row throws(PostgresError) in
                    try PostgresAudit(of: try row.text(0), on: connection).run()
                }
            }
            if !connection.isBroken { try connection.query([.rollback]) }
            return try audits.get()
        }
    }
}

/// The audit of one terminal, within a snapshot.
private struct PostgresAudit {
    private let terminalId: String
    private let connection: PostgresConnection

    /// Entries that are walked at a time. A document may have a MiB, so that twice as many bring a hub of
    /// such documents beyond 300 MiB; with half of them a long journal is walked with twice as many queries.
    private static let page: Int64 = 64

    init(of terminalId: String, on connection: PostgresConnection) {
        self.terminalId = terminalId
        self.connection = connection
    }

    func run() throws(PostgresError) -> TerminalAudit {
        let rows = try connection.query([PostgresJournal.epochs(of: [terminalId])])
        let epochs = try rows.first.map(PostgresJournal.epochs)?[terminalId] ?? []
        let epoch = epochs.last
        let heads = try heads(beside: epoch)
        let mutations = try connection.query(
            "SELECT COUNT(*) AS received, COUNT(*) FILTER (WHERE outcome <> 'applied') AS rejected "
                + "FROM mutations "
                + "WHERE terminal_id = $1", [.text(terminalId)]
        ).first
        let orders = try connection.query(
            "SELECT COUNT(*) FROM orders WHERE terminal_id = $1", [.text(terminalId)]
        ).first
        return TerminalAudit(
            terminalId: terminalId, acknowledgedThrough: epoch?.acknowledgedThrough ?? 0,
            received: try mutations?.integer("received") ?? 0,
            rejected: try mutations?.integer("rejected") ?? 0,
            missing: JournalEpoch.listed(try gaps(in: epoch)), brokenAt: try brokenAt(),
            orders: orders?.optionalInteger(0) ?? 0, totals: try totals(),
            voided: SaleSum(amounts: try totals(voided: true)), refunds: SaleSum(amounts: try refunds()),
            refused: try refusedSales(discarded: false),
            discarded: try refusedSales(discarded: true), heads: heads,
            missingBefore: try missing(among: epochs, from: heads.last?.origin?.journalStart),
            skippedEpochs: EpochComparison<PostgresIntake>.skipped(among: epochs),
            unsignedIngests: try PostgresLedger.unsignedIngests(of: terminalId, on: connection),
            differingSums: try differingSums())
    }

    /// Compares orders and figures with the documents that their sums were taken from.
    private func differingSums() throws(PostgresError) -> [String] {
        var (differing, last): ([String], String) = ([], "")
        while differing.count < TerminalAudit.listedSums {
            let rows = try connection.query(
                KeptSums.query + "WHERE m.terminal_id = $1 AND " + KeptSums.condition
                    + "AND m.id > $2 ORDER BY m.id LIMIT $3",
                [.text(terminalId), .text(last), .integer(Self.page)]
            ).rows
            for row in rows {
                last = try row.text("id")
                let payload = JSONValue.stored(try row.text("document"))["payload"] ?? .null
                var kept = KeptSums()
                (kept.total, kept.currency) = (
                    try row.optionalInteger("total"), try row.optionalText("currency")
                )
                kept.gross = try row.optionalInteger("gross")
                kept.discounts = try row.optionalInteger("discounts")
                kept.refunds = try row.optionalInteger("refunds")
                kept.tax = try row.optionalInteger("tax")
                kept.isVoided = try row.optionalText("voided_by") != nil
                kept.voidGross = try row.optionalInteger("void_gross")
                if !kept.agree(with: payload, of: try row.text("type")) { differing.append(last) }
            }
            if rows.count < Self.page { break }
        }
        return Array(differing.prefix(TerminalAudit.listedSums))
    }

    private func heads(beside epoch: JournalEpoch?) throws(PostgresError) -> HeadAudit {
        let rows = try connection.query(
            PostgresJournal.witnessColumns + "WHERE terminal_id = $1", [.text(terminalId)])
        let devices = try devices()
        var witnesses: [Int64: JournalWitness] = [:]
        for (place, witness) in try PostgresJournal.witnesses(in: rows) { witnesses[place.epoch] = witness }
        return try HeadAudit(witnesses: witnesses, epoch: epoch) { sequence throws(PostgresError) in
            try connection.query(
                "SELECT COUNT(*) FROM journal WHERE terminal_id = $1 AND epoch = $2 AND sequence <= $3",
                [.text(terminalId), .integer(epoch?.epoch ?? 0), .integer(sequence)]
            ).first?.optionalInteger(0) ?? 0
        } holds: { sequence, hash throws(PostgresError) in
            try connection.query([PostgresJournal.entry(at: sequence, hash: hash, of: devices)]).last?.first
                != nil
        }
    }

    private func missing(
        among epochs: [JournalEpoch], from journalStart: Int64?
    ) throws(PostgresError) -> [MissingEntries] {
        let comparison = EpochComparison(
            store: PostgresIntake(on: connection, from: HybridLogicalClock()), terminalId: terminalId,
            terminalIds: try devices(), journalStart: journalStart)
        do {
            return try comparison.gaps(among: epochs).map(MissingEntries.init)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .refused(state: "-----", message: "\(error)")
        }
    }

    /// The terminal, and those under which the same device was enrolled in its store.
    private func devices() throws(PostgresError) -> [String] {
        let rows = try connection.query(
            "SELECT same.id FROM terminals own JOIN terminals same ON same.store_id = own.store_id "
                + "AND same.device = own.device WHERE own.id = $1", [.text(terminalId)]
        ).rows
        return [terminalId]
            + (try rows.map { row throws(PostgresError) in try row.text(0) }.filter {
                $0 != terminalId
            })
    }

    /// The sales of the till that were refused and that no edit replaces, discarded by a person or not.
    private func refusedSales(discarded: Bool) throws(PostgresError) -> SaleSum {
        var (counter, last) = (SaleCounter(), "")
        while true {
            let rows = try connection.query(
                "SELECT id, document FROM mutations m WHERE terminal_id = $1 AND outcome <> 'applied' "
                    + "AND (\(EntryRows.isDiscarded("m.id", of: "m.terminal_id")))::int::bigint = $2 "
                    + "AND NOT \(EntryRows.isEdited("m.id", of: "m.terminal_id")) "
                    + "AND id > $3 ORDER BY id LIMIT $4",
                [.text(terminalId), .integer(discarded ? 1 : 0), .text(last), .integer(Self.page)]
            ).rows
            for row in rows {
                last = try row.text("id")
                counter.add(JSONValue.stored(try row.text("document")))
            }
            if rows.count < Self.page { return counter.sum }
        }
    }

    /// In two halves, since a sum of hostile amounts overflows, and with it the audit of all.
    ///
    /// - Parameter voided: only what was voided.
    private func totals(voided: Bool = false) throws(PostgresError) -> [CurrencySum] {
        try sums(
            "SELECT currency, COUNT(*) AS orders, SUM(total >> 32)::bigint AS high, "
                + "SUM(total & 4294967295)::bigint AS low FROM orders "
                + "WHERE terminal_id = $1 " + (voided ? "AND voided_by IS NOT NULL " : "")
                + "GROUP BY currency ORDER BY COUNT(*) DESC, currency LIMIT $2")
    }

    /// In the currency of their sales, else in the one that they name themselves.
    private func refunds() throws(PostgresError) -> [CurrencySum] {
        try sums(
            "SELECT COALESCE(o.currency, r.currency, '\(NoCurrency.code)') AS currency, COUNT(*) AS orders, "
                + "SUM(r.total >> 32)::bigint AS high, SUM(r.total & 4294967295)::bigint AS low "
                + "FROM refunds r JOIN mutations m ON m.id = r.mutation_id "
                + "LEFT JOIN orders o ON o.order_id = r.order_id AND o.repeats = 0 "
                + "WHERE m.terminal_id = $1 GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT $2")
    }

    private func sums(_ query: String) throws(PostgresError) -> [CurrencySum] {
        try connection.query(query, [.text(terminalId), .integer(Int64(CurrencySum.maximum))]).rows.map {
            row throws(PostgresError) in
            CurrencySum(
                currency: try row.text("currency"), orders: try row.integer("orders"),
                high: try row.integer("high"),
                low: try row.integer("low"))
        }
    }

    private func gaps(in epoch: JournalEpoch?) throws(PostgresError) -> [ClosedRange<Int64>] {
        guard let epoch, epoch.hasGap else { return [] }
        let rows = try connection.query([
            PostgresJournal.gaps(
                above: epoch.acknowledgedThrough, below: epoch.highest,
                in: JournalPlace(terminalId: terminalId, epoch: epoch.epoch))
        ])
        return try rows.first.map(PostgresJournal.gaps) ?? []
    }

    /// Walks the whole journal and computes every hash anew from the documents that are kept.
    private func brokenAt() throws(PostgresError) -> Int64? {
        var chain = JournalChain()
        var (epoch, sequence): (Int64, Int64) = (0, 0)
        while chain.brokenAt == nil {
            let rows = try connection.query(
                "SELECT j.epoch, j.sequence, m.document FROM journal j LEFT JOIN mutations m "
                    + "ON m.id = j.mutation_id WHERE j.terminal_id = $1 "
                    + "AND (j.epoch, j.sequence) > ($2, $3) ORDER BY j.epoch, j.sequence LIMIT $4",
                [.text(terminalId), .integer(epoch), .integer(sequence), .integer(Self.page)]
            ).rows
            for row in rows where chain.brokenAt == nil {
                (epoch, sequence) = (try row.integer("epoch"), try row.integer("sequence"))
                chain.follow(Self.link(try row.optionalText("document"), epoch, sequence))
            }
            if rows.count < Self.page { break }
        }
        return chain.brokenAt
    }

    private static func link(_ document: String?, _ epoch: Int64, _ sequence: Int64) -> JournalChain.Link {
        let json = JSONValue.stored(document)
        let mutation = try? Mutation(json: json)
        return JournalChain.Link(
            epoch: epoch, sequence: sequence, previousHash: json["previousHash"]?.string ?? "",
            hash: json["hash"]?.string ?? "",
            isHashRight: mutation.map { $0.computedHash == $0.hash } ?? false)
    }
}
