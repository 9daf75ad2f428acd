import Base
package import OfflineCore
package import OfflineMode
package import Retail

internal import DirectSQLite
internal import GRDB
internal import HubProtocol

/// The outbox in the terminal's database: the journal's entries without a final result on disk.
package struct SQLiteOutbox: OutboxStorage {
    let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Checks each body against its hash; a row whose hash is wrong is held until a person releases it. A row
    /// that a person set aside or edited is sent after the entry that says so, and apart from its ordering
    /// key.
    package func pending(
        after sequence: Int64, limit: Int
    ) async throws(OutboxStorageError) -> [OutboxItem] {
        let (held, openDecisions) = (database.held, database.openDecisions)
        return try await database.readOutbox { connection in
            let statement = try DirectStatement(
                """
                SELECT sequence, id, ordering_key, type, body, EXISTS (
                    SELECT 1 FROM mutation_attachments JOIN attachments
                        ON attachments.id = mutation_attachments.attachment_id
                    WHERE mutation_id = journal.id AND whole_at IS NULL
                ) AS is_held, settled_by IS NOT NULL AS is_set_aside, (
                    SELECT decision.id FROM journal AS decision
                    WHERE decision.sequence = journal.settled_by AND decision.verdict IS NULL
                ) AS open_decision FROM journal
                WHERE verdict IS NULL AND sequence > ? ORDER BY sequence LIMIT ?
                """, in: connection)
            var damaged: Set<String> = []
            var decisions: Set<String> = []
            let items = try statement.all({ parameters in
                parameters.add(sequence)
                parameters.add(Int64(limit))
            }) { row in
                let body = row.bytes(4)
                let isIntact = Mutation.isIntact(body)
                if !isIntact { damaged.insert(row.text(1)) }
                let isSetAside = row.integer(6) != 0
                let decision = row.text(7)
                if !decision.isEmpty { decisions.insert(decision) }
                return OutboxItem(
                    id: row.text(1), sequence: row.integer(0),
                    // The key of an entry is often the id of the first one, so its own id is not apart.
                    orderingKey: isSetAside ? "set-aside \(row.text(1))" : row.text(2),
                    type: row.text(3), body: body,
                    isHeld: row.integer(5) != 0 || !isIntact || !decision.isEmpty, isSetAside: isSetAside)
            }
            if !decisions.isEmpty { openDecisions.withLock { $0.formUnion(decisions) } }
            guard !damaged.isEmpty else { return items }
            damaged.subtract(try HeldBackEntries.released(in: connection))
            held.withLock { $0.formUnion(damaged) }
            return try HeldBackEntries.releasing(items, in: connection)
        }
    }

    /// The entries behind a sequence up to another one, those with results too, in order and without a gap:
    /// up to one that is missing or whose hash is wrong.
    ///
    /// - Parameter limit: how many at most.
    package func entries(
        after sequence: Int64, through end: Int64, limit: Int
    ) async throws(OutboxStorageError) -> [(sequence: Int64, body: [UInt8])] {
        try await database.readOutbox { connection in
            let rows = try DirectStatement(
                """
                SELECT sequence, body FROM journal WHERE sequence > ? AND sequence <= ?
                ORDER BY sequence LIMIT ?
                """, in: connection
            ).all({ parameters in
                parameters.add(sequence)
                parameters.add(end)
                parameters.add(Int64(limit))
            }) { row in (sequence: row.integer(0), body: row.bytes(1)) }
            guard let first = rows.first?.sequence else { return [] }
            return Array(
                rows.enumerated().prefix { index, row in
                    row.sequence == first + Int64(index) && Mutation.isIntact(row.body)
                }.map(\.element))
        }
    }

    /// The entries of a type behind a sequence, in order; damaged ones are left out.
    ///
    /// - Parameter limit: how many at most.
    package func entries(
        ofType type: String, after sequence: Int64, limit: Int
    ) async throws(OutboxStorageError) -> [(sequence: Int64, body: [UInt8])] {
        try await database.readOutbox { connection in
            try DirectStatement(
                "SELECT sequence, body FROM journal WHERE type = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                in: connection
            ).all({ parameters in
                parameters.add(type)
                parameters.add(sequence)
                parameters.add(Int64(limit))
            }) { row in (sequence: row.integer(0), body: row.bytes(1)) }
            .filter { Mutation.isIntact($0.body) }
        }
    }

    /// One row of counters and the oldest pending row, whatever the length of the journal.
    package func depth() async throws(OutboxStorageError) -> OutboxDepth {
        try await database.readOutbox { connection in
            let head = try JournalHead.read(connection)
            let statement = try connection.cachedStatement(
                sql: """
                    SELECT sequence, made_at FROM journal WHERE verdict IS NULL
                    ORDER BY sequence LIMIT 1
                    """)
            let oldest = try Row.fetchOne(statement)
            return OutboxDepth(
                pending: Int(head.pending), oldestMadeAt: oldest?["made_at"], rejected: Int(head.rejected),
                conflicted: Int(head.conflicted), acknowledgedThrough: head.acknowledgedThrough,
                lowSequence: oldest?["sequence"], epoch: head.epoch,
                epochStart: try JournalOriginFact.read(epoch: head.epoch, in: connection)?.epochStart)
        }
    }

    /// One transaction without a sync of its own, since sales on a slow disk would wait for it, too: what a
    /// power failure takes of it is sent again, and the hub says the same again. The acknowledged sequence is
    /// limited to the journal's last one.
    @discardableResult
    package func record(
        _ results: [PushResult], acknowledgedThrough: Int64?
    ) async throws(OutboxStorageError) -> Int {
        let reopened = try await database.writeOutbox(isSynced: false) { connection in
            var reopened = try Self.reopen(above: acknowledgedThrough, in: connection)
            var settled: [SyncState: Int64] = [:]
            for result in results {
                if let state = try Self.record(result, in: connection) { settled[state, default: 0] += 1 }
                if result.outcome == .deferred {
                    reopened += try Self.sendAnew(result.waitsFor, in: connection)
                }
            }
            for (state, rows) in settled {
                try Self.count(state, by: rows, pending: -rows, in: connection)
            }
            // The response to a single push has no sequence: then it is the last one before the oldest
            // pending entry. The hub's number is limited to the sequences of the journal.
            try connection.cachedStatement(
                sql: """
                    UPDATE terminal SET acknowledged_through =
                        COALESCE(min(max(?, 0), sequence), (SELECT min(sequence) - 1 FROM journal WHERE verdict IS NULL), sequence)
                    """
            ).execute(arguments: [acknowledgedThrough])
            return reopened
        }
        database.reserve.keep()
        let decided = Set(results.filter(\.outcome.isFinal).map(\.id))
        let released = database.openDecisions.withLock { open in
            let count = open.intersection(decided).count
            open.subtract(decided)
            return count
        }
        return reopened + released
    }

    /// One transaction; sequences that are unknown or still pending are left out.
    package func reopen(sequences: [Int64]) async throws(OutboxStorageError) {
        try await database.writeOutbox { connection in
            for sequence in sequences { try Self.reopen(sequence, in: connection) }
        }
    }

    static func reopen(_ sequence: Int64, in connection: Database) throws {
        let state = try String.fetchOne(
            connection, sql: "SELECT verdict FROM journal WHERE sequence = ?", arguments: [sequence])
        guard let state else { return }
        try connection.execute(
            sql: "UPDATE journal SET verdict = NULL, result = NULL, attempts = 0 WHERE sequence = ?",
            arguments: [sequence])
        try count(SyncState(column: state), by: -1, pending: 1, in: connection)
    }

    /// Counts one more attempt and replaces the text of before, without a sync of its own; does nothing to a
    /// row with a result.
    package func note(problem: String, of id: String) async throws(OutboxStorageError) {
        try await database.writeOutbox(isSynced: false) { try Self.note(problem, of: id, in: $0) }
    }

    /// One transaction; an implausible order number makes the counter leap and is reported as
    /// ``OrderNumberLeap``.
    package func adopt(
        epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?
    ) async throws(OutboxStorageError) {
        let numbers = database.orderNumbers
        let now = database.wallMilliseconds()
        try await database.writeOutbox { connection in
            let head = try JournalHead.read(connection)
            try JournalOriginFact.open(
                epoch, after: head,
                endingAt: JournalMark(epoch: head.epoch, sequence: headSequence, hash: headHash),
                in: connection)
            try connection.execute(sql: "UPDATE terminal SET epoch = ?", arguments: [epoch])
            guard let headOrderNumber else { return }
            try OrderNumberRepair.adopt(headOrderNumber, at: now, numbers: numbers, in: connection)
        }
    }

    /// One transaction; an order number that cannot be this terminal's raises nothing, since the hub repeats
    /// its response for as long as the other copy continues.
    package func keep(_ journal: SupersedingJournal) async throws(OutboxStorageError) {
        let numbers = database.orderNumbers
        let now = database.wallMilliseconds()
        try await database.writeOutbox { connection in
            let head = try JournalHead.read(connection)
            try JournalOriginFact.keep(
                superseding: journal.ends.map(JournalMark.init), of: head, in: connection)
            guard let number = journal.headOrderNumber else { return }
            try OrderNumberRepair.leap(over: number, at: now, numbers: numbers, in: connection)
        }
    }

    /// The rows of the outbox and what was refused, for people: pending ones first, each oldest first.
    package func entries(limit: Int = 1000) async throws(OutboxStorageError) -> [JournalEntry] {
        try await database.readOutbox { connection in
            let rows = try Row.fetchAll(
                connection,
                sql: """
                    SELECT * FROM (
                        SELECT sequence, id, type, made_at, attempts, verdict, result AS problem
                        FROM journal WHERE verdict IS NULL ORDER BY sequence LIMIT ?1
                    )
                    UNION ALL
                    SELECT * FROM (
                        SELECT sequence, id, type, made_at, attempts, verdict, result
                        FROM journal WHERE verdict IN ('rejected', 'conflicted') ORDER BY sequence LIMIT ?1
                    )
                    LIMIT ?1
                    """, arguments: [limit])
            return rows.map { JournalEntry($0) }
        }
    }

    /// - Returns: the state that the row has now; nil when it did not change.
    private static func record(_ result: PushResult, in connection: Database) throws -> SyncState? {
        guard let state = SyncState(result.outcome) else {
            try note(result.document, of: result.id, in: connection)
            return nil
        }
        let kept = try settledState(state, to: result.id, in: connection)
        let update = try DirectStatement(
            "UPDATE journal SET verdict = ?, result = ? WHERE id = ? AND verdict IS NULL", in: connection)
        try update.run { row in
            row.add(kept.column)
            row.add(result.document)
            row.add(result.id)
        }
        return update.changes == 1 ? kept : nil
    }

    /// The state of a refusal that a person has settled before and that the hub repeats: the hub was restored
    /// from a backup and the entry was sent again.
    private static func settledState(
        _ state: SyncState, to id: String, in connection: Database
    ) throws -> SyncState {
        guard state.isRefused else { return state }
        let type = try String.fetchOne(
            connection,
            sql: "SELECT type FROM journal WHERE sequence = (SELECT settled_by FROM journal WHERE id = ?)",
            arguments: [id])
        guard let type else { return state }
        return type == "mutation.discarded" ? .discarded : .superseded
    }

    /// A hub with a lower sequence than before was restored from a backup: what it may have lost goes back
    /// into the outbox, and the hub reports what it still has as duplicates.
    static func reopen(above acknowledged: Int64?, in connection: Database) throws -> Int {
        guard !PlantedBug.restoredHubNotNoticed.isPlanted, let acknowledged,
            acknowledged < (try JournalHead.read(connection).acknowledgedThrough)
        else {
            return 0
        }
        try connection.execute(
            sql: """
                UPDATE journal SET verdict = NULL, result = NULL, attempts = 0
                WHERE sequence > ? AND verdict IS NOT NULL
                """, arguments: [acknowledged])
        let reopened = connection.changesCount
        // SQLite uses the index of unsettled entries only where a condition equals the index's own, text by
        // text.
        try connection.execute(
            sql: """
                UPDATE terminal SET
                    pending = (SELECT count(*) FROM journal WHERE verdict IS NULL),
                    rejected = (
                        SELECT count(*) FROM journal
                        WHERE verdict = 'rejected' AND verdict IN ('rejected', 'conflicted')),
                    conflicted = (
                        SELECT count(*) FROM journal
                        WHERE verdict = 'conflicted' AND verdict IN ('rejected', 'conflicted'))
                """)
        return reopened
    }

    /// Sends the attachments again that the hub misses: it was restored from a backup, or this terminal was
    /// enrolled again.
    private static func sendAnew(_ ids: [String], in connection: Database) throws -> Int {
        var count = 0
        for id in ids {
            try connection.execute(
                sql: "UPDATE attachments SET whole_at = NULL WHERE id = ? AND whole_at IS NOT NULL",
                arguments: [id])
            count += connection.changesCount
        }
        return count
    }

    private static func note(_ problem: String, of id: String, in connection: Database) throws {
        try connection.cachedStatement(
            sql: """
                UPDATE journal SET attempts = attempts + 1, result = ?
                WHERE id = ? AND verdict IS NULL
                """
        ).execute(arguments: [problem, id])
    }

    /// Keeps the counts in the terminal's row, so that reading the depth costs the same after a long outage.
    static func count(
        _ state: SyncState, by change: Int64, pending: Int64, in connection: Database
    ) throws {
        try connection.cachedStatement(
            sql: """
                UPDATE terminal SET pending = pending + ?, rejected = rejected + ?,
                    conflicted = conflicted + ?
                """
        ).execute(arguments: [
            pending, state == .rejected ? change : 0, state == .conflicted ? change : 0,
        ])
    }
}

extension JournalEntry {
    /// - Parameter row: the journal's columns, its `result` as `problem`.
    init(_ row: Row) {
        self.init(
            id: row["id"], sequence: row["sequence"], type: row["type"], madeAt: row["made_at"],
            attempts: row["attempts"], state: SyncState(column: row["verdict"]), problem: row["problem"])
    }
}

/// The database with the errors of the outbox's port, which attachments share.
extension TerminalDatabase {
    func readOutbox<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxStorageError) -> Value {
        do throws(StoreFailure) {
            return try await read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    func writeOutbox<Value: Sendable>(
        isSynced: Bool = true, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxStorageError) -> Value {
        do throws(StoreFailure) {
            return try await isSynced ? write(body) : writeUnsynced(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
