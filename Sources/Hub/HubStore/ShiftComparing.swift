package import HubCore
package import HubProtocol

/// Compares closed shifts with the hub's copy of the journal, in any store.
///
/// Nothing is held while it reads: entries of a journal never change once they have a result.
package struct ShiftComparing: Sendable {
    private let ledger: any Ledger

    /// Entries read in one go: some 20 ms of a connection. Half of it makes more requests, twice of it holds
    /// a connection longer.
    private static let entries = 500

    /// Entries in front of a shift that are searched for its id, as many as one push may have compared: what
    /// a till writes in some days without closing a shift. Half of it lets an older entry go unseen, twice of
    /// it keeps a connection twice as long.
    private static let entriesInFront: Int64 = 20_000

    /// Edits of edits that are followed: as many as the intake follows.
    private static let edits = 32

    package init(_ ledger: any Ledger) {
        self.ledger = ledger
    }

    /// Terminals with a closed shift that is not compared yet, whether its entries are there or not.
    package func terminals() async throws(LedgerError) -> [String] {
        try await ledger.rows(of: ShiftQuery.waitingTerminals).compactMap { $0.text("terminal_id") }
    }

    /// Whether the terminal has a closed shift that is not compared yet.
    package func isWaiting(_ terminalId: String) async throws(LedgerError) -> Bool {
        try await !ledger.rows(of: ShiftQuery.waiting(of: terminalId)).isEmpty
    }

    /// Closed shifts that are not compared yet and whose last entry has arrived with all before it: a few of
    /// the terminal, or a few of each terminal behind `place`, in the order of their ids.
    package func ready(
        of terminalId: String? = nil, behind place: String = ""
    ) async throws(LedgerError) -> [ShiftQuery.Waiting] {
        let query = terminalId.map(ShiftQuery.ready(of:)) ?? ShiftQuery.ready(behind: place)
        return try await ledger.rows(of: query).compactMap { row in
            guard let terminalId = row.text("terminal_id"), let storeId = row.text("store_id"),
                let epoch = row.integer("epoch"),
                let closing = try? ShiftClosing(json: JSONValue.stored(row.text("closing")))
            else { return nil }
            return ShiftQuery.Waiting(
                terminalId: terminalId, storeId: storeId, epoch: epoch, closing: closing)
        }
    }

    /// The shift's entries in each epoch, in their order; nil while some are still to come.
    package func parts(
        of shift: ShiftQuery.Waiting
    ) async throws(LedgerError) -> [ShiftComparison.Part]? {
        let epochs = try await ledger.rows(of: ShiftQuery.epochs(of: shift.terminalId)).compactMap(Self.epoch)
        let opened = try await ledger.rows(of: ShiftQuery.openings(of: shift)).filter { row in
            EntryMembers(shown: JSONValue.stored(row.text("document"))["payload"]).shiftId
                == shift.closing.opening.shiftId
        }.compactMap { $0.integer("epoch") }
        return ShiftComparison.parts(
            of: shift.closing, closedIn: shift.epoch, epochs: epochs, opened: Set(opened))
    }

    /// What the hub has of a part of a closed shift.
    package struct ComparedPart: Sendable {
        /// Not signed yet.
        package var statement: ShiftStatement
        /// What its entries say of a card machine.
        package let cardMachine: ShiftCardMachine
        /// What counts in it and is in no document of the journal feed.
        package let discarded: [ShiftComparison.Discarded]
    }

    /// What the hub has of a closed shift in each epoch.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func compared(
        _ shift: ShiftQuery.Waiting, in parts: [ShiftComparison.Part], at now: Int64
    ) async throws(LedgerError) -> [ComparedPart] {
        var compared: [ComparedPart] = []
        var known = Known()
        for part in parts {
            var (strays, tally) = (ShiftComparison.Strays(), ShiftPartTally(of: shift.closing.opening))
            let part = try await whole(part, of: shift)
            let shiftId = shift.closing.opening.shiftId
            try await add(part, of: shiftId, of: shift.terminalId, to: &tally, &known, &strays)
            compared.append(
                ComparedPart(
                    statement: tally.statement(of: shift.terminalId, in: part, at: now),
                    cardMachine: tally.cardMachine, discarded: tally.discarded))
            try await note(strays, of: shift, in: part.epoch)
        }
        return compared
    }

    /// Each shift is read once, and what it has of others is noted for them then: no other comparison reads
    /// these entries again.
    private func note(
        _ strays: ShiftComparison.Strays, of shift: ShiftQuery.Waiting, in epoch: Int64
    ) async throws(LedgerError) {
        for (shiftId, place) in strays.found.sorted(by: { $0.key < $1.key }) {
            _ = try await ledger.change(
                by: ShiftQuery.noting(place, of: shiftId, of: shift.terminalId, in: epoch))
        }
        if strays.isOverfull { _ = try await ledger.change(by: [ShiftQuery.overfull(shift)]) }
    }

    /// What the parts of a shift have in common.
    private struct Known {
        /// The ids of mutations that count already.
        var counted: Set<String> = []
        /// What stands for sales that the hub refused, by the orders' ids: it is no order of the hub's.
        var discarded: [String: JSONValue] = [:]
    }

    /// The part from the first entry on that carries the shift's id, however late its closing says that it
    /// began. The search ends where another closed shift does: that one's entries are compared with it, and
    /// what they have of this shift is noted then.
    private func whole(
        _ part: ShiftComparison.Part, of shift: ShiftQuery.Waiting
    ) async throws(LedgerError) -> ShiftComparison.Part {
        let earliest = part.from - Self.entriesInFront
        let stray = try await ledger.rows(
            of: ShiftQuery.stray(
                of: shift.closing.opening.shiftId, of: shift.terminalId, in: part.epoch)
        ).first?.integer("sequence")
        if let stray, stray < part.from {
            return part.beginning(at: max(stray, earliest))
        }
        let end = try await ledger.rows(of: ShiftQuery.endInFront(of: part, in: shift.terminalId)).first?
            .integer("sequence")
        guard let front = part.front(behind: max(end ?? 0, earliest - 1)) else { return part }
        var behind = front.from - 1
        while true {
            let found = try await ledger.page(
                of: ShiftQuery.entries(
                    of: front, in: shift.terminalId, behind: behind, limit: Self.entries + 1),
                rows: Self.entries)
            let entries = found.rows.compactMap(Self.entry)
            let first = entries.first {
                EntryMembers(shown: $0.payload).shiftId == shift.closing.opening.shiftId
            }
            if let first { return part.beginning(at: first.sequence) }
            guard found.hasMore, let last = entries.last else { return part }
            behind = last.sequence
        }
    }

    /// What the hub has so far of a shift that is not closed; nil where that is too much to be read for one
    /// look.
    ///
    /// - Parameter epoch: in which it was opened.
    package func soFar(
        of opening: ShiftOpening, of terminalId: String, from epoch: Int64
    ) async throws(LedgerError) -> ShiftSums? {
        var (tally, known, strays) = (ShiftPartTally(of: opening), Known(), ShiftComparison.Strays())
        var left = Self.entriesInFront
        let epochs = try await ledger.rows(of: ShiftQuery.epochs(of: terminalId)).compactMap(Self.epoch)
        for epoch in epochs.filter({ $0.epoch >= epoch }) {
            let end = try await ledger.rows(of: ShiftQuery.end(in: epoch.epoch, of: terminalId)).first?
                .integer("sequence")
            guard let part = ShiftComparison.part(of: epoch, behind: end ?? 0) else { continue }
            left -= part.count
            guard left >= 0 else { return nil }
            try await add(part, of: opening.shiftId, of: terminalId, to: &tally, &known, &strays)
        }
        return tally.sums
    }

    private func add(
        _ part: ShiftComparison.Part, of shiftId: String, of terminalId: String,
        to tally: inout ShiftPartTally, _ known: inout Known, _ strays: inout ShiftComparison.Strays
    ) async throws(LedgerError) {
        var behind = part.from - 1
        while true {
            let found = try await ledger.page(
                of: ShiftQuery.entries(
                    of: part, in: terminalId, behind: behind, limit: Self.entries + 1),
                rows: Self.entries)
            var entries: [ShiftComparison.Entry] = []
            for row in found.rows {
                guard var entry = Self.entry(row) else { continue }
                if !entry.isApplied, ShiftTally.types.contains(entry.type), row.integer("responded") == 1 {
                    entry.edit = try await replacement(of: entry, by: terminalId)
                }
                if let sale = entry.edit, sale.type == CompletedOrder.type,
                    let orderId = EntryMembers(shown: sale.payload).orderId
                {
                    known.discarded[orderId] = sale.payload
                }
                entries.append(entry)
            }
            let sales = try await sales(voidedBy: entries, of: terminalId).merging(known.discarded) {
                accepted, _ in accepted
            }
            for entry in entries {
                tally.add(entry, counted: &known.counted, sales: sales)
                strays.note(entry, among: shiftId)
                behind = entry.sequence
            }
            guard found.hasMore, !entries.isEmpty else { return }
        }
    }

    /// What a refused mutation counts by: its accepted edit, or the one of an edit that was refused too; or,
    /// where no edit follows, itself once it was discarded.
    private func replacement(
        of entry: ShiftComparison.Entry, by terminalId: String
    ) async throws(LedgerError) -> ShiftComparison.Edit? {
        var last = ShiftComparison.Edit(id: entry.id, type: entry.type, payload: entry.payload)
        for _ in 0..<Self.edits {
            guard let row = try await ledger.rows(of: ShiftQuery.edit(of: last.id, by: terminalId)).first,
                let id = row.text("id"), let type = row.text("type")
            else {
                let discards = try await ledger.rows(of: ShiftQuery.discard(of: last.id, by: terminalId))
                return discards.isEmpty
                    ? nil
                    : ShiftComparison.Edit(
                        id: last.id, type: last.type, payload: last.payload, isDiscarded: true)
            }
            last = ShiftComparison.Edit(
                id: id, type: type, payload: JSONValue.stored(row.text("document"))["payload"] ?? .null)
            if row.text("outcome") == "applied" { return last }
        }
        return nil
    }

    private func sales(
        voidedBy entries: [ShiftComparison.Entry], of terminalId: String
    ) async throws(LedgerError) -> [String: JSONValue] {
        var sales: [String: JSONValue] = [:]
        for case let void? in entries.map(\.counted) {
            guard let orderId = ShiftTally.voidedOrder(by: void.type, void.payload), sales[orderId] == nil,
                let row = try await ledger.rows(of: ShiftQuery.sale(orderId, voidedBy: terminalId)).first
            else { continue }
            sales[orderId] = JSONValue.stored(row.text("document"))["payload"]
        }
        return sales
    }

    /// Publishes the statements, which are signed, then notes what came of the comparison. A hub that ends
    /// between the two compares once more.
    ///
    /// - Returns: what became of the shift.
    package func settle(
        _ shift: ShiftQuery.Waiting, with parts: [ComparedPart], at now: Int64
    ) async throws(LedgerError) -> ShiftSettlement {
        let statements = parts.map(\.statement)
        var earlier: [EntityKey] = []
        for query in ShiftQuery.earlierStatements(of: statements) {
            earlier += try await ledger.rows(of: query).compactMap { $0.text("entity_id") }.map {
                EntityKey(ShiftStatement.entity, $0)
            }
        }
        _ = try await ledger.importEntities(
            statements.map(PublishedStatement.init), withdrawing: earlier, at: now)
        let settlement = ShiftSettlement(shift.closing, statements, arrivedIn: shift.epoch)
        let cardMachine = parts.reduce(into: ShiftCardMachine()) { $0.add($1.cardMachine) }
        let settled = ShiftQuery.settlement(of: shift, settlement, statements, cardMachine, at: now)
        let discarded = parts.flatMap(\.discarded).map {
            JournalDocument.discarded($0, of: shift.terminalId, in: shift.storeId, at: now)
        }
        let documents = statements.map { statement in
            var common = JournalCommons(
                // A shift is compared again when something of it is given up.
                .statement, "\(shift.closing.opening.shiftId).\(statement.epoch).\(now)",
                of: shift.terminalId, in: shift.storeId, at: now)
            (common.shiftId, common.currency) = (statement.shiftId, statement.currency)
            common.businessDay = shift.closing.opening.businessDay
            return JournalDocument(common, statement.json.canonicalBytes)
        }
        _ = try await ledger.change(by: [settled], appending: discarded + documents)
        return settlement
    }

    private static func epoch(_ row: StoreRow) -> JournalEpoch? {
        guard let epoch = row.integer("epoch"), let first = row.integer("first_sequence"),
            let through = row.integer("acknowledged_through"), let highest = row.integer("highest")
        else { return nil }
        return JournalEpoch(
            epoch: epoch, firstSequence: first, acknowledgedThrough: through, highest: highest,
            lowSequence: nil)
    }

    private static func entry(_ row: StoreRow) -> ShiftComparison.Entry? {
        guard let id = row.text("id"), let sequence = row.integer("sequence"), let type = row.text("type"),
            let hash = row.text("hash")
        else { return nil }
        let isCounted = ShiftTally.types.contains(type) || ShiftCardMachine.types.contains(type)
        return ShiftComparison.Entry(
            id: id, sequence: sequence, type: type, hash: hash, isApplied: row.text("outcome") == "applied",
            payload: isCounted ? JSONValue.stored(row.text("document"))["payload"] ?? .null : .null,
            isEdit: row.text("supersedes") != nil)
    }
}
