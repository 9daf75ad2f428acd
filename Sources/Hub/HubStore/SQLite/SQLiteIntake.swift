internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol

/// The intake's queries and writes as SQL, within one transaction.
final class SQLiteIntake: IntakeTransaction {
    let db: Database
    let products = SoldProducts()
    let statements: PreparedStatements
    private let timer: PushTimer?

    init(db: Database, timer: PushTimer? = nil) {
        self.db = db
        self.timer = timer
        statements = PreparedStatements(db)
    }

    /// Accepts a push; what was gathered on the way is written at its end.
    ///
    /// - Throws: ``BudgetSpent`` when it takes too long; the transaction may be undone then.
    static func run(
        _ request: IntakeRequest, in db: Database, within budget: PushBudget
    ) throws -> IntakeAnswer {
        let timer = budget.start()
        do {
            return try db.interrupted(when: { timer.isSpent }) {
                let intake = SQLiteIntake(db: db, timer: timer)
                let answer = try IntakeProcedure.run(request, in: intake)
                if case .results = answer { try intake.products.write(with: intake.statements) }
                return answer
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && timer.isSpent {
            throw BudgetSpent()
        }
    }

    func spendTime() throws {
        if let timer, timer.isSpent { throw BudgetSpent() }
    }

    func known(_ device: DeviceIdentity) throws -> KnownDevice {
        let rows = try db.all(
            "SELECT same.id, own.number FROM terminals own JOIN terminals same "
                + "ON same.store_id = own.store_id AND same.public_key = own.public_key "
                + "WHERE own.id = ? AND own.store_id = ?", [device.terminalId, device.storeId])
        let others = rows.map { $0[0] as String }.filter { $0 != device.terminalId }
        return KnownDevice(number: rows.first?[1], terminalIds: [device.terminalId] + others)
    }

    func lastEpoch(of terminalId: String) throws -> JournalEpoch? {
        try db.first(
            "SELECT epoch, first_sequence, acknowledged_through, highest, low_sequence FROM epochs "
                + "WHERE terminal_id = ? ORDER BY epoch DESC LIMIT 1", [terminalId]
        ).map { row in
            JournalEpoch(
                epoch: row[0], firstSequence: row[1], acknowledgedThrough: row[2], highest: row[3],
                lowSequence: row[4])
        }
    }

    func save(_ epoch: JournalEpoch, of terminalId: String) throws {
        try db.run(
            "INSERT INTO epochs (terminal_id, epoch, first_sequence, acknowledged_through, highest, "
                + "low_sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (terminal_id, epoch) "
                + "DO UPDATE SET acknowledged_through = ?4, highest = ?5, low_sequence = ?6",
            [
                terminalId, epoch.epoch, epoch.firstSequence, epoch.acknowledgedThrough, epoch.highest,
                epoch.lowSequence,
            ])
    }

    func witness(of place: JournalPlace) throws -> JournalWitness? {
        let row = try statements["SELECT head, seen_at, state FROM heads WHERE terminal_id = ? AND epoch = ?"]
            .first({ parameters in
                parameters.add(place.terminalId)
                parameters.add(place.epoch)
            }) { row in JournalWitness(head: row.text(0), seenAt: row.integer(1), state: row.text(2)) }
        return row ?? nil
    }

    func save(_ witness: JournalWitness, of place: JournalPlace) throws {
        try statements[
            "INSERT OR REPLACE INTO heads (terminal_id, epoch, head, seen_at, state) VALUES (?, ?, ?, ?, ?)"
        ].run { row in
            row.add(place.terminalId)
            row.add(place.epoch)
            row.add(witness.last.json.canonicalText)
            row.add(witness.lastSeenAt)
            row.add(witness.document.canonicalText)
        }
    }

    func known(_ id: String) throws -> KnownMutation? {
        try statements["SELECT digest, result, received_at FROM mutations WHERE id = ?"]
            .first({ $0.add(id) }) { row in
                KnownMutation(
                    digest: row.text(0), result: SQLiteLedger.document(row.text(1)),
                    receivedAt: row.integer(2))
            }
    }

    func keep(_ record: MutationRecord) throws {
        let mutation = record.mutation
        try statements[
            """
            INSERT INTO mutations (id, terminal_id, sequence, type, digest, hash, previous_hash, outcome,
                result, document, supersedes, hlc, received_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ].run { row in
            row.add(mutation.id)
            row.add(record.device.terminalId)
            row.add(mutation.sequence)
            row.add(mutation.type)
            row.add(mutation.digest)
            row.add(mutation.hash)
            row.add(mutation.previousHash)
            row.add(record.result?.outcome.rawValue ?? "")
            row.add(record.result?.json.canonicalText ?? "")
            row.add(mutation.document)
            row.add(record.supersedes)
            row.add(record.hlc.description)
            row.add(record.receivedAt)
        }
    }

    func holder(of sequence: Int64, in place: JournalPlace) throws -> String? {
        try db.first(
            "SELECT mutation_id FROM journal WHERE terminal_id = ? AND epoch = ? AND sequence = ?",
            [place.terminalId, place.epoch, sequence])?[0]
    }

    func link(at sequence: Int64, in place: JournalPlace) throws -> JournalChain.Link? {
        try db.first(
            "SELECT m.previous_hash, m.hash, m.digest FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? AND j.sequence = ?",
            [place.terminalId, place.epoch, sequence]
        ).map { row in
            let hash: String = row[1]
            return JournalChain.Link(
                epoch: place.epoch, sequence: sequence, previousHash: row[0], hash: hash,
                isHashRight: row[2] == hash)
        }
    }

    func enter(_ id: String, at sequence: Int64, in place: JournalPlace) throws {
        try statements["INSERT INTO journal (terminal_id, epoch, sequence, mutation_id) VALUES (?, ?, ?, ?)"]
            .run { row in
                row.add(place.terminalId)
                row.add(place.epoch)
                row.add(sequence)
                row.add(id)
            }
    }

    func endOfRun(from sequence: Int64, in place: JournalPlace) throws -> Int64 {
        let end: Int64? = try db.first(
            "SELECT MIN(j.sequence) FROM journal j WHERE j.terminal_id = ?1 AND j.epoch = ?2 "
                + "AND j.sequence >= ?3 AND NOT EXISTS (SELECT 1 FROM journal n WHERE n.terminal_id = ?1 "
                + "AND n.epoch = ?2 AND n.sequence = j.sequence + 1)",
            [place.terminalId, place.epoch, sequence])?[0]
        return end ?? sequence
    }

    func gaps(above low: Int64, below high: Int64, in place: JournalPlace) throws -> [ClosedRange<Int64>] {
        let rows = try db.all(
            "SELECT previous + 1, sequence - 1 FROM (SELECT sequence, LAG(sequence, 1, ?3) OVER "
                + "(ORDER BY sequence) AS previous FROM (SELECT sequence FROM journal "
                + "WHERE terminal_id = ?1 AND epoch = ?2 AND sequence > ?3 AND sequence <= ?4 "
                + "ORDER BY sequence LIMIT ?5)) WHERE sequence > previous + 1",
            [place.terminalId, place.epoch, low, high, JournalEpoch.entriesSearched])
        return rows.map { row in
            let first: Int64 = row[0]
            return first...row[1]
        }
    }

    func head(of place: JournalPlace) throws -> JournalHead? {
        let row = try db.first(
            "SELECT j.sequence, m.hash FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? ORDER BY j.sequence DESC LIMIT 1",
            [place.terminalId, place.epoch])
        guard let row else { return nil }
        let last: Int64 = row[0]
        let order: String? = try db.first(
            "SELECT o.order_number FROM journal j JOIN orders o ON o.mutation_id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? AND j.sequence > ? AND o.number_counts = 1 "
                + "ORDER BY j.sequence DESC LIMIT 1",
            [place.terminalId, place.epoch, last - JournalEpoch.entriesSearched])?[0]
        return JournalHead(sequence: last, hash: row[1], orderNumber: order)
    }

    /// The mutation's own status, or that of the edit that replaces it, and so on. Edits that replace each
    /// other in a circle end with the limit.
    func status(of id: String, of owners: [String]) throws -> DependencyStatus {
        typealias Finding = DependencyStatus.Finding
        let rows = try db.all(
            "WITH RECURSIVE line(id, depth) AS (VALUES (?1, 0) UNION ALL "
                + "SELECT (SELECT m.id FROM mutations m WHERE m.supersedes = line.id AND m.terminal_id IN "
                + "(SELECT value FROM json_each(?2)) ORDER BY m.outcome <> 'applied' LIMIT 1), depth + 1 "
                + "FROM line WHERE line.id IS NOT NULL AND depth < ?3) "
                + "SELECT CASE WHEN m.terminal_id NOT IN (SELECT value FROM json_each(?2)) "
                + "THEN \(Finding.foreign.rawValue) "
                + "WHEN m.outcome = 'applied' AND m.discarded_by IS NULL THEN \(Finding.accepted.rawValue) "
                + "ELSE \(Finding.refused.rawValue) END FROM line "
                + "JOIN mutations m ON m.id = line.id "
                + "UNION ALL SELECT \(Finding.discarded.rawValue) FROM discards WHERE mutation_id = ?1 "
                + "AND terminal_id IN (SELECT value FROM json_each(?2))",
            [id, Self.list(owners), DependencyStatus.maximumEdits])
        return DependencyStatus(of: rows.compactMap { Finding(rawValue: $0[0]) })
    }

    func isEdited(_ id: String, by owners: [String]) throws -> Bool {
        try db.first(
            "SELECT 1 FROM mutations WHERE supersedes = ? "
                + "AND terminal_id IN (SELECT value FROM json_each(?)) LIMIT 1", [id, Self.list(owners)])
            != nil
    }

    private static func list(_ ids: [String]) -> String {
        JSONValue.array(ids.map(JSONValue.string)).canonicalText
    }

    func usage(of terminalId: String, on day: Int64) throws -> TerminalUsage {
        try db.usage(of: terminalId, on: day)
    }

    func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) throws {
        try db.add(usage, of: terminalId, on: day)
    }

    func keepAttachments(_ ids: [String], of terminalId: String) throws {
        for id in ids {
            try db.run(
                "UPDATE attachments SET is_named = 1 WHERE terminal_id = ? AND id = ?", [terminalId, id])
        }
    }

    func clock() throws -> HybridLogicalClock {
        let text: String? = try db.first("SELECT value FROM meta WHERE key = 'clock'", [])?[0]
        return text.flatMap(HybridLogicalClock.init) ?? HybridLogicalClock()
    }

    func save(_ clock: HybridLogicalClock) throws {
        try db.run("UPDATE meta SET value = ? WHERE key = 'clock'", [clock.description])
    }

    func raise(_ alarm: Alarm) throws {
        try db.raise(alarm)
    }
}
