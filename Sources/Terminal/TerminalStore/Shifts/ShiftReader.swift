import Base

internal import GRDB
internal import HubProtocol
internal import OfflineMode
internal import Retail

/// Reads shifts back from the journal's entries, within one access of the database.
struct ShiftReader {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// One `shift.opened` or `shift.closed`.
    private struct Entry {
        let sequence: Int64
        let type: String
        let hasResult: Bool
        let payload: JSONValue
    }

    /// A closing with its place in the journal.
    private struct Closing {
        let closing: ShiftClosing
        let sequence: Int64
        /// Whether the hub has it.
        let hasResult: Bool
    }

    /// The id of the shift that was opened last and not closed since; nil: none is open.
    func openShiftId() throws -> String? {
        guard let last = try entries(limit: 1).first, last.type == ShiftOpening.type else { return nil }
        return EntryMembers(shown: last.payload).shiftId
    }

    /// The shift of this id with its closing and statements; of an open one the sums are empty.
    func shift(_ id: String) throws -> Shift? {
        try shifts(among: entries(of: id), limit: 1).first
    }

    /// The newest first; of the open one the sums are empty.
    func shifts(limit: Int) throws -> [Shift] {
        try shifts(among: entries(limit: 2 * limit), limit: limit)
    }

    private func shifts(among entries: [Entry], limit: Int) throws -> [Shift] {
        var closings: [String: Closing] = [:]
        var shifts: [Shift] = []
        let trust = try StatementTrust(database)
        for entry in entries {
            if entry.type == ShiftClosing.type {
                let closing = try ShiftClosing(json: entry.payload)
                closings[closing.opening.shiftId] = Closing(
                    closing: closing, sequence: entry.sequence, hasResult: entry.hasResult)
                continue
            }
            let opening = try ShiftOpening(json: entry.payload)
            shifts.append(try shift(opening, from: entry.sequence, closings[opening.shiftId], trust))
            if shifts.count == limit { break }
        }
        return shifts
    }

    private func shift(
        _ opening: ShiftOpening, from sequence: Int64, _ closed: Closing?, _ trust: StatementTrust
    ) throws -> Shift {
        guard let closed else {
            let open = Shift(
                opening: opening, from: sequence, to: trust.head.sequence, head: trust.head.hash,
                sums: ShiftSums(), closing: nil, statements: [])
            return try withCardMachine(open)
        }
        let closing = closed.closing
        return try withCardMachine(
            Shift(
                opening: opening, from: closing.from, to: closing.to, head: closing.head, sums: closing.sums,
                closing: closing,
                statements: try statements(of: opening.shiftId).filter {
                    trust.covers($0, of: closed.sequence)
                },
                epoch: closed.hasResult ? trust.head.epoch : nil))
    }

    /// The shift with what its entries say of the card machine.
    func withCardMachine(_ shift: Shift) throws -> Shift {
        var shift = shift
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT type, body FROM journal INDEXED BY journal_card_machine
                WHERE type IN ('\(CardDecision.type)', '\(CardDayClosing.type)') AND sequence BETWEEN ? AND ?
                ORDER BY sequence
                """, arguments: [shift.from, shift.to])
        for row in rows {
            shift.cardMachine.add(row["type"], try SQLiteRefusals.mutation(row["body"]).payload)
        }
        return shift
    }

    /// In the order of their epochs. One that cannot be read, of a later version, is left out: the shift
    /// stays provisional.
    private func statements(of shiftId: String) throws -> [ShiftStatement] {
        try String.fetchAll(
            database,
            sql: """
                SELECT value FROM feed_entities
                WHERE generation = (SELECT generation FROM feed) AND entity = ? AND value IS NOT NULL
                    AND entity_id >= ? AND entity_id < ?
                """, arguments: [ShiftStatement.entity, shiftId + "-", shiftId + "."]
        ).compactMap { text in
            (try? JSONParser.parse(text.utf8)).flatMap { try? ShiftStatement(json: $0) }
        }.filter { $0.shiftId == shiftId }.sorted { $0.epoch < $1.epoch }
    }

    /// The newest first, without those that an edit replaced.
    private func entries(limit: Int) throws -> [Entry] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT sequence, type, verdict, body FROM journal INDEXED BY journal_shifts
                WHERE type IN ('\(ShiftOpening.type)', '\(ShiftClosing.type)')
                    AND verdict IS NOT 'superseded'
                ORDER BY sequence DESC LIMIT ?
                """, arguments: [limit]
        ).map(Self.entry)
    }

    /// Those of one shift, whose ordering key they have; the newest first.
    private func entries(of shiftId: String) throws -> [Entry] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT sequence, type, verdict, body FROM journal
                WHERE type IN ('\(ShiftOpening.type)', '\(ShiftClosing.type)') AND ordering_key = ?
                    AND verdict IS NOT 'superseded'
                ORDER BY sequence DESC
                """, arguments: [shiftId]
        ).map(Self.entry)
    }

    private static func entry(_ row: Row) throws -> Entry {
        Entry(
            sequence: row["sequence"], type: row["type"], hasResult: row["verdict"] as String? != nil,
            payload: try SQLiteRefusals.mutation(row["body"]).payload)
    }
}

/// What makes a statement of the change feed count for a shift of this journal.
private struct StatementTrust {
    let head: JournalHead
    private let keys: [HubPublicKey]
    /// The last entry of this terminal's identities of before.
    private let base: Int64

    init(_ database: Database) throws {
        head = try JournalHead.read(database)
        let list = try SQLiteTerminalFacts.fact(SQLiteTerminalFacts.hubKeysName, in: database)
            .flatMap { try? JSONParser.parse($0.utf8) }.flatMap { try? HubKeyList(json: $0) }
        keys = list?.signing ?? []
        base =
            try SQLiteTerminalFacts.fact(SQLiteTerminalFacts.baseName, in: database).flatMap { Int64($0) }
            ?? 0
    }

    /// Whether a pinned key signed it, and it is about this terminal; of a shift that was closed before this
    /// enrolment it is about the terminal of then.
    func covers(_ statement: ShiftStatement, of sequence: Int64) -> Bool {
        (statement.terminalId == head.terminalId || sequence <= base)
            && statement.signer(among: keys) != nil
    }
}

/// The sums of an open shift, added up a portion at a time, so that no sale waits for all of it.
struct OpenTally {
    let shiftId: String
    /// Whether the last portion was a full one.
    private(set) var hasMore = true
    private var tally = ShiftTally()
    /// The sequence of the next entry.
    private var next: Int64
    /// Where the shift begins.
    private let from: Int64

    /// Entries of one portion: some 5 ms on a small terminal. Half of it takes the connection twice as often,
    /// twice of it can be noticed by a sale.
    private static let portion = 200

    init(_ shiftId: String, from sequence: Int64) {
        self.shiftId = shiftId
        from = sequence
        next = sequence
    }

    /// With the portion that follows.
    func advanced(in database: Database) throws -> OpenTally {
        var copy = self
        try copy.advance(in: database)
        return copy
    }

    /// With all entries that there are.
    func finished(in database: Database) throws -> ShiftTally {
        var copy = self
        repeat { try copy.advance(in: database) } while copy.hasMore
        return copy.tally
    }

    private mutating func advance(in database: Database) throws {
        let types = ShiftTally.types.map { "'\($0)'" }.joined(separator: ", ")
        let statement = try database.cachedStatement(
            sql: """
                SELECT sequence, id, type, verdict, body FROM journal
                WHERE sequence >= ? AND type IN (\(types)) ORDER BY sequence LIMIT ?
                """)
        let rows = try Row.fetchCursor(statement, arguments: [next, Self.portion])
        var count = 0
        while let row = try rows.next() {
            count += 1
            next = row["sequence"] + 1
            guard row["verdict"] as String? != SyncState.superseded.rawValue else { continue }
            let entry = try JSONParser.parse((row["body"] as Blob).bytes)
            // What it replaces may have been added in a portion before.
            guard entry["supersedes"]?.string == nil else { return try restart(in: database) }
            try add(row["id"], row["type"], entry["payload"] ?? .null, in: database)
        }
        hasMore = count == Self.portion
    }

    /// An edit is rare: everything is added anew, in one access, so that no other one comes in between.
    private mutating func restart(in database: Database) throws {
        tally = ShiftTally()
        let types = ShiftTally.types.map { "'\($0)'" }.joined(separator: ", ")
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT sequence, id, type, body FROM journal
                WHERE sequence >= ? AND type IN (\(types)) AND verdict IS NOT 'superseded' ORDER BY sequence
                """, arguments: [from])
        while let row = try rows.next() {
            next = row["sequence"] + 1
            try add(
                row["id"], row["type"],
                try JSONParser.parse((row["body"] as Blob).bytes)["payload"] ?? .null, in: database)
        }
        hasMore = false
    }

    private mutating func add(_ id: String, _ type: String, _ payload: JSONValue, in database: Database)
        throws
    {
        guard EntryMembers(shown: payload).shiftId == shiftId else { return }
        let voided = try ShiftTally.voidedOrder(by: type, payload).flatMap { try sale($0, in: database) }
        tally.add(id: id, type: type, payload: payload, voided: voided)
    }

    private func sale(_ orderId: String, in database: Database) throws -> JSONValue? {
        let body = try Blob.fetchOne(
            database,
            sql: """
                SELECT body FROM orders JOIN journal
                    ON journal.sequence = COALESCE(orders.revision, orders.sequence)
                WHERE order_id = ?
                """, arguments: [orderId])
        return try body.map { try JSONParser.parse($0.bytes)["payload"] ?? .null }
    }
}
