internal import Base
package import HubCore
internal import HubProtocol

/// Moves closed days out of the store into a file. Of each entry stays what ``ArchiveStub`` makes of it.
///
/// Nothing goes before ``keepWritten(_:hash:counts:)`` noted that the complete file is on a disk. What then
/// goes is named by what is read from that file, some rows in each transaction, so that pushes go between
/// and a kill leaves every row either in both places or in the file.
extension Ledger {
    /// Archives in their order, also one that is not finished.
    package func archives() async throws(LedgerError) -> [Archive] {
        try await read { session in try session.archives() }
    }

    /// What keeps days from an archive, and up to where the journal feed may go. Documents are added to the
    /// sums first: an archive takes those along that are.
    ///
    /// - Parameters:
    ///   - before: the first day that is wanted to stay.
    ///   - now: the hub's wall clock, in milliseconds since 1970.
    package func archivable(before: String, at now: Int64) async throws(LedgerError) -> Archivable {
        while try await foldSales() > 0 {}
        return try await read(isLong: true) { session in
            let decision = ArchiveDecision(
                before: before, today: ArchiveRows.day(at: now), obstacles: try session.obstacles())
            let above = try session.archivedThrough()
            let end = min(try session.settledNumber(), try session.foldedThrough())
            return Archivable(
                decision: decision, above: above,
                through: max(above, try session.lastDocument(before: decision, above: above, end: end)))
        }
    }

    /// Begins an archive, in place of one that nothing was removed for.
    ///
    /// - Returns: nil, and nothing is begun, where another one is being removed.
    package func begin(
        _ archivable: Archivable, file: String, at now: Int64
    ) async throws(LedgerError) -> Archive? {
        try await write { session in
            try session.lock(.sums)
            guard try session.archivedThrough() == archivable.above,
                try session.first("SELECT 1 FROM archives WHERE state = 'written'") == nil
            else { return .undo(nil) }
            try session.run([
                StoreQuery("DELETE FROM archives WHERE state = 'writing'"),
                StoreQuery(
                    "INSERT INTO archives (file, state, before_day, above, through, arrived_before, begun_at) "
                        + "VALUES ($1, 'writing', $2, $3, $4, $5, $6)",
                    of: [
                        file, archivable.decision.firstKept, archivable.above, archivable.through,
                        archivable.decision.arrivedBefore, now,
                    ]),
            ])
            return .keep(try session.archives().last)
        }
    }

    /// Entries of an archive that is being written, of the next ones in the order of terminals, epochs and
    /// sequences.
    ///
    /// - Parameter place: where the part before ended; nil: the beginning.
    /// - Returns: some or none, and where to go on; nil at the end.
    package func entries(
        of archive: Archive, after place: ArchivePlace?
    ) async throws(LedgerError) -> (entries: [ArchivedEntry], next: ArchivePlace?) {
        try await read(isLong: true) { session in
            let page = try session.page(
                of: ArchiveRows.entries(of: archive, after: place), rows: ArchiveRows.page, behind: nil
            ).page
            let entries = try page.rows.compactMap { row -> ArchivedEntry? in
                guard let mutation: String = try row[7] else { return nil }
                var place = ArchivedEntry.Place()
                (place.terminalId, place.epoch, place.sequence) = (try row[0], try row[1], try row[2])
                (place.key, place.type, place.outcome) = (try row[3], try row[4], try row[5])
                place.receivedAt = try row[6]
                return ArchivedEntry(place, mutation: mutation)
            }
            let next = try page.rows.last.map {
                try ArchivePlace(terminalId: $0[0], epoch: $0[1], sequence: $0[2])
            }
            return (entries, page.hasMore ? next : nil)
        }
    }

    /// Its documents behind a number, as many as a page takes; none at the end.
    package func documents(
        of archive: Archive, after number: Int64
    ) async throws(LedgerError) -> [(number: Int64, text: String)] {
        try await read(isLong: true) { session in
            let query = StoreQuery(
                "SELECT number, document FROM documents WHERE number > $1 AND number <= $2 "
                    + "ORDER BY number LIMIT \(ArchiveRows.page + 1)",
                [.integer(max(number, archive.above)), .integer(archive.through)], texts: ["document"])
            return try session.page(of: query, rows: ArchiveRows.page, behind: nil).page.rows.map {
                (number: try $0[0], text: try $0[1])
            }
        }
    }

    /// Notes that its file is complete, and on a disk. From then on the journal feed has nothing before its
    /// end.
    package func keepWritten(
        _ id: Int64, hash: String, counts: ArchiveCounts
    ) async throws(LedgerError) {
        try await change { session in
            try session.run(
                "UPDATE archives SET state = 'written', hash = $2, entries = $3, documents = $4 "
                    + "WHERE id = $1 AND state = 'writing'", [id, hash, counts.entries, counts.documents])
        }
    }

    /// Takes the documents of entries out of the store; those that are gone stay so. One transaction.
    package func removeEntries(_ keys: [String], of id: Int64) async throws(LedgerError) {
        try await write { session in
            guard try session.isBeingRemoved(id) else { return .undo(()) }
            let rows = try session.rows(
                "SELECT id, type, outcome, document FROM mutations WHERE id \(session.dialect.isOne("$1")) "
                    + "AND archive IS NULL ORDER BY id" + session.dialect.forUpdate,
                [StoreValue.texts(keys)])
            try session.run(
                rows.map { row in
                    let type: String = try row[1]
                    let stub = ArchiveStub.text(
                        of: type, isApplied: try row[2] == "applied", JSONValue.stored(try row[3]))
                    return StoreQuery(
                        "UPDATE mutations SET document = $2, archive = $3 WHERE id = $1",
                        of: [try row[0] as String, stub, id])
                })
            return .keep(())
        }
    }

    /// Takes documents out of the journal feed, and moves what they come to from the sums of the feed to
    /// those of archives. One transaction.
    ///
    /// - Parameter numbers: all between the first and the last.
    package func removeDocuments(_ numbers: [Int64], of id: Int64) async throws(LedgerError) {
        guard let first = numbers.first, let last = numbers.last else { return }
        try await write { session in
            try session.lock(.sums)
            guard let archive = try session.archives().first(where: { $0.id == id }),
                archive.state == .written,
                first > archive.above, last <= archive.through
            else { return .undo(()) }
            let found: Int64 =
                try session.first(
                    "SELECT COUNT(*) FROM documents WHERE number >= $1 AND number <= $2", [first, last])?[0]
                ?? 0
            guard found <= Int64(numbers.count) else {
                throw LedgerError.failed("the store has documents that the archive \(archive.file) lacks")
            }
            try session.archiveSums(behind: first - 1, through: last)
            try session.run("DELETE FROM documents WHERE number >= $1 AND number <= $2", [first, last])
            return .keep(())
        }
    }

    /// Notes that all of it was removed.
    package func finish(_ id: Int64) async throws(LedgerError) {
        try await write { session in
            try session.lock(.sums)
            let day = try session.first(
                "UPDATE archives SET state = 'done' WHERE id = $1 AND state = 'written' RETURNING before_day",
                [id])
            if let day { try session.run([SalesQuery.emptied(before: try day[0])]) }
            return .keep(())
        }
    }
}

extension StoreSession {
    /// What of the feed lies in files behind a number; nil: nothing. What is only being written is still
    /// here.
    func archives(behind number: Int64) throws -> [ArchivedDocuments]? {
        let rows = try rows(
            "SELECT file, before_day, through FROM archives WHERE state <> 'writing' AND through > $1 "
                + "ORDER BY id", [number])
        return rows.isEmpty
            ? nil : try rows.map { try ArchivedDocuments(file: $0[0], before: $0[1], through: $0[2]) }
    }

    fileprivate func archivedThrough() throws -> Int64 {
        try first("SELECT COALESCE(MAX(through), 0) FROM archives WHERE state <> 'writing'")?[0] ?? 0
    }

    fileprivate func isBeingRemoved(_ id: Int64) throws -> Bool {
        try first("SELECT 1 FROM archives WHERE id = $1 AND state = 'written'", [id]) != nil
    }

    fileprivate func archives() throws -> [Archive] {
        let life: String = try first("SELECT value FROM meta WHERE key = 'journal'")?[0] ?? ""
        return try rows(
            "SELECT id, file, state, before_day, above, through, arrived_before, begun_at, hash, entries, "
                + "documents FROM archives ORDER BY id"
        ).map { row in
            Archive(
                id: try row[0], file: try row[1], state: .init(rawValue: try row[2]) ?? .done,
                before: try row[3], above: try row[4], through: try row[5], arrivedBefore: try row[6],
                begunAt: try row[7], hash: try row[8], entries: try row[9], documents: try row[10],
                journal: life)
        }
    }

    /// The number in front of the first document whose day stays, or `end`.
    fileprivate func lastDocument(
        before decision: ArchiveDecision, above: Int64, end: Int64
    ) throws -> Int64 {
        var place = above
        while place < end {
            // Documents that name a day have it first. Of the others, and of those that name a day that
            // stays, it is decided here.
            let rows = try rows(
                "SELECT number, document FROM documents WHERE number > $1 AND number <= $2 "
                    + "AND NOT (substr(document, 1, 16) = '{\"businessDay\":\"' AND substr(document, 17, 10) < $3) "
                    + "ORDER BY number LIMIT \(ArchiveRows.candidates)", [place, end, decision.firstKept])
            for row in rows {
                let number: Int64 = try row[0]
                let common = JournalDocument.shown(try row[1]).common
                if ArchiveDecision.day(of: common) >= decision.firstKept { return number - 1 }
                place = number
            }
            if rows.count < ArchiveRows.candidates { break }
        }
        return end
    }

    /// Everything that keeps a day, the first of each kind.
    fileprivate func obstacles() throws -> [ArchiveDecision.Obstacle] {
        try ArchiveRows.obstacles.flatMap { kind, sql in
            try ["day", "at"].flatMap { column in
                try rows(
                    "SELECT subject, day, at FROM (\(sql)) AS open WHERE \(column) IS NOT NULL "
                        + "ORDER BY \(column), subject LIMIT \(ArchiveRows.listed)")
            }.map { row in
                let days = [try row[1] as String?, (try row[2] as Int64?).map(ArchiveRows.day)]
                return ArchiveDecision.Obstacle(
                    kind, on: days.compactMap(\.self).min() ?? "", try row[0])
            }
        }.reduce(into: try undelivered()) { all, found in if !all.contains(found) { all.append(found) } }
    }

    /// The day of the first document that each webhook has not delivered; of one whose place is of another
    /// life of the hub, the first of all.
    private func undelivered() throws -> [ArchiveDecision.Obstacle] {
        try rows(
            "SELECT w.id, d.document FROM webhooks w JOIN documents d ON d.number = "
                + "(SELECT MIN(n.number) FROM documents n WHERE n.number > CASE WHEN w.life = "
                + "(SELECT value FROM meta WHERE key = 'journal') THEN w.number ELSE 0 END)"
        ).map { row in
            ArchiveDecision.Obstacle(
                .webhook, on: ArchiveDecision.day(of: JournalDocument.shown(try row[1]).common), try row[0])
        }
    }
}

/// The queries of archives.
private enum ArchiveRows {
    /// Rows of one page: some milliseconds of a connection.
    static let page = 500
    /// Documents that are read at once to find the first that stays.
    static let candidates = 200
    /// Obstacles of one kind that are shown, the first ones by their days.
    static let listed = 20

    static func day(at moment: Int64) -> String {
        String(Timestamp.text(milliseconds: moment).prefix(10))
    }

    /// The next rows of all journals, each with its mutation where that goes.
    static func entries(of archive: Archive, after place: ArchivePlace?) -> StoreQuery {
        StoreQuery(
            "SELECT j.terminal_id, j.epoch, j.sequence, m.id, m.type, m.outcome, m.received_at, "
                + "CASE WHEN m.archive IS NULL AND (CASE WHEN d.number IS NOT NULL THEN d.number <= $4 "
                + "ELSE m.received_at < $5 END) THEN m.document END AS document "
                + "FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "LEFT JOIN documents d ON d.entry = m.id "
                + "WHERE (j.terminal_id, j.epoch, j.sequence) > ($1, $2, $3) "
                + "ORDER BY j.terminal_id, j.epoch, j.sequence LIMIT \(page + 1)",
            [
                .text(place?.terminalId ?? ""), .integer(place?.epoch ?? 0),
                .integer(place?.sequence ?? 0), .integer(archive.through), .integer(archive.arrivedBefore),
            ], texts: ["document"])
    }

    /// What is open, as the columns `subject`, `day` (of what was sold, or null) and `at` (when it came, or
    /// null).
    static let obstacles: [(ArchiveDecision.Obstacle.Kind, String)] = [
        (.shiftOpen, shifts("open") + " AND t.revoked_at IS NULL"), (.shiftWaits, shifts("provisional")),
        (.shiftDisputed, shifts("disputed")),
        (.debt, "\(payments) WHERE \(PaymentRows.isOpenDebt(of: "p."))"),
        (
            .payment,
            "\(payments) WHERE p.state IN (\(PaymentRows.undecided)) "
                + "OR EXISTS (SELECT 1 FROM payment_calls c WHERE c.key = p.key)"
        ),
        (
            .refusal,
            "SELECT r.mutation_id AS subject, CAST(NULL AS TEXT) AS day, r.received_at AS at FROM refusals r "
                + "WHERE \(BackOfficeQuery.openRefusal)"
        ),
        (
            .flag,
            "SELECT f.mutation_id AS subject, s.day, f.received_at AS at FROM flags f "
                + "LEFT JOIN sales s ON s.mutation_id = f.mutation_id "
                + "WHERE f.flag = '\(IntakeFlag.pointsHeld.rawValue)' OR EXISTS (SELECT 1 FROM alarms a "
                + "WHERE a.kind = f.flag AND a.terminal_id = f.terminal_id "
                + "AND a.day = f.received_at / 86400000 AND \(BackOfficeQuery.openAlarm))"
        ),
        (
            .unconfirmed,
            "SELECT t.id AS subject, MIN(s.day) AS day, MIN(m.received_at) AS at FROM terminals t "
                + "JOIN epochs e ON e.terminal_id = t.id AND e.epoch = (SELECT MAX(x.epoch) FROM epochs x "
                + "WHERE x.terminal_id = t.id) JOIN journal j ON j.terminal_id = t.id "
                + "AND (e.low_sequence IS NULL OR j.sequence >= e.low_sequence) "
                + "JOIN mutations m ON m.id = j.mutation_id AND m.archive IS NULL "
                + "LEFT JOIN sales s ON s.mutation_id = m.id WHERE t.revoked_at IS NULL GROUP BY t.id"
        ),
    ]

    private static func shifts(_ state: String) -> String {
        "SELECT s.shift_id AS subject, s.business_day AS day, CAST(NULL AS BIGINT) AS at FROM shifts s "
            + "LEFT JOIN terminals t ON t.id = s.terminal_id WHERE s.state = '\(state)'"
    }

    private static let payments =
        "SELECT p.key AS subject, (SELECT MIN(s.day) FROM orders o JOIN sales s "
        + "ON s.mutation_id = o.mutation_id WHERE \(EntryRows.isOrder("o", mintedAs: "p.order_id")) "
        + "AND o.terminal_id = p.terminal_id) AS day, p.decided_at AS at FROM payments p"
}
