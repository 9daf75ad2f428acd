import Base

internal import DirectSQLite
internal import GRDB
package import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
package import Retail

/// Records shifts in the terminal's journal. Which one is open stands in the terminal's own row, so that
/// every sale takes it from there in its own transaction.
package struct SQLiteShifts: ShiftStorage {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One row.
    package func openShiftId() async throws(StorageError) -> String? {
        try await database.ledgerRead { try JournalHead.read($0).openShift }
    }

    /// One transaction.
    package func open(_ draft: ShiftDraft) async throws(StorageError) -> Result<Shift, ShiftRefusal> {
        return try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection, database.clocks())
            if let open = journal.head.openShift { return .failure(.alreadyOpen(shiftId: open)) }
            let id = journal.mintId(at: draft.madeAt)
            let day = try journal.businessDay(of: draft.businessDay, madeAt: draft.madeAt)
            let opening = ShiftOpening(
                shiftId: id, businessDay: day.text, timeZone: draft.timeZone, currency: draft.currency,
                openedAt: draft.madeAt, openedBy: draft.person.cashierId,
                approverId: draft.person.approverId, float: draft.float)
            try journal.append(opening.json, type: ShiftOpening.type, of: id, at: draft.madeAt)
            try journal.finish()
            try connection.execute(sql: "UPDATE terminal SET open_shift = ?", arguments: [id])
            let head = journal.head
            return .success(
                Shift(
                    opening: opening, from: head.sequence, to: head.sequence, head: head.hash,
                    sums: ShiftSums(), closing: nil, statements: []))
        }
    }

    /// One transaction.
    package func move(_ draft: CashMoveDraft) async throws(StorageError) -> Result<CashMove, ShiftRefusal> {
        return try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection, database.clocks())
            if let key = draft.key?.description, let first = try Self.move(key, in: connection) {
                return .success(first)
            }
            let shiftId = journal.head.openShift
            guard shiftId != nil || draft.kind == .noSale else { return .failure(.noneOpen) }
            let id = draft.key?.description ?? journal.mintId(at: draft.madeAt)
            let day = try journal.businessDay(of: draft.businessDay, madeAt: draft.madeAt)
            let move = CashMove(
                moveId: id, shiftId: shiftId, kind: draft.kind, amount: draft.amount,
                currency: draft.currency, reason: draft.reason, cashierId: draft.person.cashierId,
                approverId: draft.person.approverId, businessDay: day.text, timeZone: draft.timeZone)
            _ = try journal.append(
                JournalWriter.NewEntry(
                    type: CashMove.type, entity: CashMove.entity, entityId: id, orderingKey: id,
                    madeAt: draft.madeAt, payload: journal.dated(move.json)))
            try journal.finish()
            return .success(move)
        }
    }

    /// Adds the entries up a portion at a time, then the last of them in the transaction that closes.
    package func close(_ count: ShiftCount) async throws(StorageError) -> Result<Shift, ShiftRefusal> {
        let opened = try await database.ledgerRead { connection in
            try JournalHead.read(connection).openShift.flatMap { try ShiftReader(connection).shift($0) }
        }
        guard let open = opened else { return .failure(.noneOpen) }
        let id = open.opening.shiftId
        let ahead = try await tally(of: open)
        return try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection, database.clocks())
            guard journal.head.openShift == id else { return .failure(.noneOpen) }
            if let cart = try SQLiteCarts.firstWithMoney(in: connection) {
                return .failure(
                    .cartHasMoney(
                        AmountText.money(cart.inHand, cart.currency), cart: cart.id.description))
            }
            let sums = try ahead.finished(in: connection).sums
            let closing = ShiftClosing(
                opening: open.opening, closedAt: count.madeAt, closedBy: count.person.cashierId,
                closeApproverId: count.person.approverId,
                cash: ShiftClosing.Cash(
                    expected: sums.expectedCash(float: open.opening.float), counted: count.cash),
                counted: count.others, sums: sums, from: open.from, to: journal.head.sequence,
                head: journal.head.hash)
            try journal.append(closing.json, type: ShiftClosing.type, of: id, at: count.madeAt)
            try journal.finish()
            try connection.execute(sql: "UPDATE terminal SET open_shift = NULL")
            let closed = Shift(
                opening: open.opening, from: closing.from, to: closing.to, head: closing.head, sums: sums,
                closing: closing, statements: [])
            return .success(try ShiftReader(connection).withCardMachine(closed))
        }
    }

    /// Reads the shift; one that is open is added up, a portion at a time.
    package func shift(_ id: String) async throws(StorageError) -> Result<Shift, ShiftRefusal> {
        guard let shift = try await database.ledgerRead({ try ShiftReader($0).shift(id) }) else {
            return .failure(.unknown(id))
        }
        guard shift.closing == nil else { return .success(shift) }
        let ahead = try await tally(of: shift)
        return try await database.ledgerRead { connection in
            // The journal may have gone on: what is counted and where it ends belong together.
            let head = try JournalHead.read(connection)
            return .success(
                try ShiftReader(connection).withCardMachine(
                    Shift(
                        opening: shift.opening, from: shift.from, to: head.sequence, head: head.hash,
                        sums: try ahead.finished(in: connection).sums, closing: nil, statements: [])))
        }
    }

    /// One read by the index of shifts; the open one, the first of all, is added up after it.
    package func shifts(limit: Int) async throws(StorageError) -> [Shift] {
        var shifts = try await database.ledgerRead { try ShiftReader($0).shifts(limit: limit) }
        if let first = shifts.first, first.closing == nil,
            case .success(let open) = try await shift(first.opening.shiftId)
        {
            shifts[0] = open
        }
        return shifts
    }

    /// What the shift's entries came to a moment ago; sales go on between the portions.
    private func tally(of shift: Shift) async throws(StorageError) -> OpenTally {
        var tally = OpenTally(shift.opening.shiftId, from: shift.from)
        while tally.hasMore {
            let before = tally
            tally = try await database.ledgerRead { try before.advanced(in: $0) }
        }
        return tally
    }

    /// A movement that was recorded before; its id is its entry's ordering key.
    private static func move(_ id: String, in connection: Database) throws -> CashMove? {
        let body = try Blob.fetchOne(
            connection, sql: "SELECT body FROM journal WHERE type = '\(CashMove.type)' AND ordering_key = ?",
            arguments: [id])
        return try body.map { try CashMove(json: SQLiteRefusals.mutation($0).payload) }
    }
}

extension JournalWriter {
    /// An entry about a shift; all entries of one shift follow each other.
    fileprivate mutating func append(
        _ payload: JSONValue, type: String, of shiftId: String, at madeAt: Int64
    ) throws {
        _ = try append(
            NewEntry(
                type: type, entity: ShiftOpening.entity, entityId: shiftId, orderingKey: shiftId,
                madeAt: madeAt, payload: dated(payload)))
    }
}
