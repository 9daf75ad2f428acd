internal import HubCore
internal import HubProtocol

extension Ledger {
    /// What was sold and received, and what is missing; of one terminal or of all. A read of one moment that
    /// computes every hash anew, so it reads whole journals; it takes long and blocks no push.
    package func audit(terminal: String?) async throws(LedgerError) -> [TerminalAudit] {
        try await snapshot { session in
            try session.rows(
                "SELECT id FROM terminals WHERE CAST($1 AS TEXT) IS NULL OR id = $1 "
                    + "ORDER BY enrolled_at, id", [terminal]
            ).map { try Audit(terminalId: $0[0], session: session).run() }
        }
    }
}

/// The audit of one terminal, within a snapshot.
private struct Audit {
    let terminalId: String
    let session: any StoreSession

    /// Entries that are walked at a time. A document may have a MiB, so that twice as many bring a hub of
    /// such documents beyond 300 MiB; with half of them a long journal is walked with twice as many queries.
    private static let page = 64

    func run() throws -> TerminalAudit {
        let intake = session.intake
        let epochs = try epochs()
        let epoch = epochs.last
        let devices = try devices()
        let heads = try heads(beside: epoch, of: devices, with: intake)
        let counts = try session.first(
            "SELECT COUNT(*), COUNT(*) FILTER (WHERE outcome <> 'applied') FROM mutations "
                + "WHERE terminal_id = $1", [terminalId])
        let orders = try session.first("SELECT COUNT(*) FROM orders WHERE terminal_id = $1", [terminalId])
        return TerminalAudit(
            terminalId: terminalId, acknowledgedThrough: epoch?.acknowledgedThrough ?? 0,
            received: try counts?[0] ?? 0, rejected: try counts?[1] ?? 0,
            missing: JournalEpoch.listed(try gaps(in: epoch, with: intake)), brokenAt: try brokenAt(),
            orders: try orders?[0] ?? 0, totals: try totals(),
            voided: SaleSum(amounts: try totals("AND voided_by IS NOT NULL ")),
            refunds: SaleSum(amounts: try refunds()),
            refused: try refusedSales(discarded: false), discarded: try refusedSales(discarded: true),
            heads: heads,
            missingBefore: try intake.missing(
                among: epochs, of: terminalId, devices, from: heads.last?.origin?.journalStart),
            skippedEpochs: intake.skipped(among: epochs), unsignedIngests: try unsignedIngests(),
            differingSums: try differingSums() + differingShifts())
    }

    private func epochs() throws -> [JournalEpoch] {
        try session.rows(
            "SELECT epoch, first_sequence, acknowledged_through, highest, low_sequence FROM epochs "
                + "WHERE terminal_id = $1 ORDER BY epoch", [terminalId]
        ).map { row in
            try JournalEpoch(
                epoch: row[0], firstSequence: row[1], acknowledgedThrough: row[2], highest: row[3],
                lowSequence: row[4])
        }
    }

    /// The terminal, and those under which the same device was enrolled in its store.
    private func devices() throws -> [String] {
        let ids: [String] = try session.rows(
            "SELECT same.id FROM terminals own JOIN terminals same ON same.store_id = own.store_id "
                + "AND same.device = own.device WHERE own.id = $1", [terminalId]
        ).map { try $0[0] }
        return [terminalId] + ids.filter { $0 != terminalId }
    }

    private func gaps(
        in epoch: JournalEpoch?, with intake: any StoreIntake
    ) throws -> [ClosedRange<Int64>] {
        guard let epoch, epoch.hasGap else { return [] }
        return try intake.gaps(
            above: epoch.acknowledgedThrough, below: epoch.highest,
            in: JournalPlace(terminalId: terminalId, epoch: epoch.epoch))
    }

    private func heads(
        beside epoch: JournalEpoch?, of devices: [String], with intake: any StoreIntake
    ) throws -> HeadAudit {
        var witnesses: [Int64: JournalWitness] = [:]
        for row in try session.rows(
            "SELECT epoch, head, seen_at, state FROM heads WHERE terminal_id = $1", [terminalId])
        {
            witnesses[try row[0]] = try JournalWitness(head: row[1], seenAt: row[2], state: row[3])
        }
        return try HeadAudit(witnesses: witnesses, epoch: epoch) { sequence in
            try session.first(
                "SELECT COUNT(*) FROM journal WHERE terminal_id = $1 AND epoch = $2 AND sequence <= $3",
                [terminalId, epoch?.epoch, sequence])?[0] ?? 0
        } holds: { sequence, hash in
            try intake.held(sequence, hash: hash, by: devices) != nil
        }
    }

    /// In two halves, since a sum of hostile amounts overflows, and with it the audit of all.
    private func totals(_ condition: String = "") throws -> [CurrencySum] {
        try sums(
            "SELECT currency, COUNT(*), CAST(SUM(total >> 32) AS BIGINT), "
                + "CAST(SUM(total & 4294967295) AS BIGINT) FROM orders WHERE terminal_id = $1 \(condition)"
                + "GROUP BY currency ORDER BY COUNT(*) DESC, currency LIMIT $2")
    }

    /// In the currency of their sales, else in the one that they name themselves.
    private func refunds() throws -> [CurrencySum] {
        try sums(
            "SELECT COALESCE(o.currency, r.currency, '\(NoCurrency.code)'), COUNT(*), "
                + "CAST(SUM(r.total >> 32) AS BIGINT), CAST(SUM(r.total & 4294967295) AS BIGINT) "
                + "FROM refunds r JOIN mutations m ON m.id = r.mutation_id "
                + "LEFT JOIN orders o ON o.order_id = r.order_id AND o.repeats = 0 "
                + "WHERE m.terminal_id = $1 GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT $2")
    }

    private func sums(_ sql: String) throws -> [CurrencySum] {
        try session.rows(sql, [terminalId, CurrencySum.maximum]).map { row in
            try CurrencySum(currency: row[0], orders: row[1], high: row[2], low: row[3])
        }
    }

    /// The sales of the till that were refused and that no edit replaces, discarded by a person or not.
    private func refusedSales(discarded: Bool) throws -> SaleSum {
        let isDiscarded = EntryRows.isDiscarded("m.id", of: "m.terminal_id")
        var counter = SaleCounter()
        try visit(
            "m.outcome <> 'applied' AND \(discarded ? "" : "NOT ")\(isDiscarded) "
                + "AND NOT \(EntryRows.isEdited("m.id", of: "m.terminal_id"))",
            by: "SELECT m.id, m.document FROM mutations m "
        ) { row in
            counter.add(JSONValue.stored(try row["document"]))
            return true
        }
        return counter.sum
    }

    /// Compares orders and figures with the documents that their sums were taken from.
    private func differingSums() throws -> [String] {
        var differing: [String] = []
        try visit(KeptSums.condition, by: KeptSums.query) { row in
            var kept = KeptSums()
            (kept.total, kept.currency) = (try row["total"], try row["currency"])
            (kept.gross, kept.discounts) = (try row["gross"], try row["discounts"])
            (kept.refunds, kept.tax) = (try row["refunds"], try row["tax"])
            (kept.isVoided, kept.voidGross) = (row.text("voided_by") != nil, try row["void_gross"])
            kept.document = row.text("filed")
            let payload = JSONValue.stored(try row["document"])["payload"] ?? .null
            if !kept.agree(with: payload, of: try row["type"]) { differing.append(try row["id"]) }
            return differing.count < TerminalAudit.listedSums
        }
        return differing
    }

    /// Compares the shifts that the hub confirmed with the documents of the journal feed. A shift over
    /// several epochs has a statement for each, and entries that were sent again between them: it is left
    /// out.
    private func differingShifts() throws -> [String] {
        var differing: [String] = []
        let shifts = try session.rows(
            "SELECT shift_id, statements, closing FROM shifts WHERE terminal_id = $1 AND state = 'confirmed' "
                + "ORDER BY shift_id", [terminalId])
        for shift in shifts where differing.count < TerminalAudit.listedSums {
            let statements = JSONValue.stored(try shift[1] as String?).array ?? []
            guard statements.count == 1, let statement = try? ShiftStatement(json: statements[0]),
                let closing = try? ShiftClosing(json: JSONValue.stored(try shift[2] as String?))
            else { continue }
            let documents = try documents(of: statement, float: closing.opening.float)
            if !documents.agree { differing.append(try shift[0]) }
        }
        return differing
    }

    private func documents(of statement: ShiftStatement, float: Int64) throws -> ShiftDocuments {
        var documents = ShiftDocuments(of: statement, float: float)
        var sequence = statement.from - 1
        while sequence < statement.to, documents.isComparable {
            let rows = try session.rows(
                "SELECT j.sequence, m.type, m.outcome, d.document FROM journal j "
                    + "JOIN mutations m ON m.id = j.mutation_id LEFT JOIN documents d ON d.entry = m.id "
                    + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence <= $4 "
                    + "ORDER BY j.sequence LIMIT $5",
                [terminalId, statement.epoch, sequence, statement.to, Self.page])
            for row in rows {
                sequence = try row[0]
                documents.add(
                    ShiftDocuments.Entry(
                        type: try row[1], isApplied: try row[2] == "applied", document: try row[3]))
            }
            if rows.count < Self.page { break }
        }
        return documents
    }

    /// Reads mutations of the terminal, those with a document a page at a time, until one is enough.
    ///
    /// Their ids are read first and at once, some 50 bytes each: no index has a terminal's mutations in the
    /// order of their ids, so that a page behind an id would sort all of them again.
    ///
    /// - Parameters:
    ///   - condition: of a row `m` of `mutations`.
    ///   - query: without a condition; it has `m`.
    private func visit(
        _ condition: String, by query: String, _ goesOn: (StoreRow) throws -> Bool
    ) throws {
        let ids: [String] = try session.rows(
            "SELECT m.id FROM mutations m WHERE m.terminal_id = $1 AND \(condition)", [terminalId]
        ).map { try $0[0] }
        for start in stride(from: 0, to: ids.count, by: Self.page) {
            let part = Array(ids[start..<min(start + Self.page, ids.count)])
            let rows = try session.rows(
                query + "WHERE m.id \(session.dialect.isOne("$1"))", [StoreValue.texts(part)])
            for row in rows where try !goesOn(row) { return }
        }
    }

    /// Walks the whole journal and computes every hash anew from the documents that are in the store.
    private func brokenAt() throws -> Int64? {
        var chain = JournalChain()
        var (epoch, sequence): (Int64, Int64) = (0, 0)
        while chain.brokenAt == nil {
            let rows = try session.rows(
                "SELECT j.epoch, j.sequence, m.document, m.archive, m.previous_hash, m.hash "
                    + "FROM journal j LEFT JOIN mutations m "
                    + "ON m.id = j.mutation_id WHERE j.terminal_id = $1 "
                    + "AND (j.epoch, j.sequence) > ($2, $3) ORDER BY j.epoch, j.sequence LIMIT $4",
                [terminalId, epoch, sequence, Self.page])
            for row in rows where chain.brokenAt == nil {
                (epoch, sequence) = (try row[0], try row[1])
                chain.follow(try Self.link(row, epoch, sequence))
            }
            if rows.count < Self.page { break }
        }
        return chain.brokenAt
    }

    /// The document of an archived entry is in the file, where `archive verify` computes its hash; here its
    /// hash is a link between its neighbours.
    private static func link(
        _ row: StoreRow, _ epoch: Int64, _ sequence: Int64
    ) throws -> JournalChain.Link {
        if (try row[3] as Int64?) != nil {
            return JournalChain.Link(
                epoch: epoch, sequence: sequence, previousHash: try row[4], hash: try row[5],
                isHashRight: true)
        }
        let json = JSONValue.stored(try row[2])
        let mutation = try? Mutation(json: json)
        return JournalChain.Link(
            epoch: epoch, sequence: sequence, previousHash: json["previousHash"]?.string ?? "",
            hash: json["hash"]?.string ?? "",
            isHashRight: mutation.map { $0.computedHash == $0.hash } ?? false)
    }

    /// The files without a signature that were ingested, newest first; at most 20.
    private func unsignedIngests() throws -> [IngestRecord] {
        try session.rows(
            "SELECT ingested_at, entries, reason FROM ingests WHERE terminal_id = $1 AND signed = 0 "
                + "ORDER BY ingested_at DESC LIMIT 20", [terminalId]
        ).map { row in
            try IngestRecord(
                terminalId: terminalId, ingestedAt: row[0], entries: row[1], isSigned: false, reason: row[2])
        }
    }
}

extension StoreIntake {
    fileprivate func missing(
        among epochs: [JournalEpoch], of terminalId: String, _ devices: [String], from journalStart: Int64?
    ) throws -> [MissingEntries] {
        try EpochComparison(
            store: self, terminalId: terminalId, terminalIds: devices, journalStart: journalStart
        ).gaps(among: epochs).map { MissingEntries($0) }
    }

    fileprivate func skipped(among epochs: [JournalEpoch]) -> [Int64] {
        EpochComparison<Self>.skipped(among: epochs)
    }
}
