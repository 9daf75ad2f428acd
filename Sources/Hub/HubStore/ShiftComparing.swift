internal import HubCore
public import HubProtocol

/// Compares closed shifts with the hub's copy of the journal, in any store.
///
/// Nothing is held while it reads: entries of a journal never change once they have a result.
public struct ShiftComparing: Sendable {
    private let ledger: any QueryLedger & EntityLedger

    /// Shifts looked at in one go, and entries read in one go: some 20 ms of a connection. Half of it makes
    /// more requests, twice of it holds a connection longer.
    private static let (shifts, entries) = (100, 500)

    /// Edits of edits that are followed: as many as the intake follows.
    private static let edits = 32

    /// Reads and writes in `ledger`.
    public init(_ ledger: any QueryLedger & EntityLedger) {
        self.ledger = ledger
    }

    /// Closed shifts that wait for their comparison, of one terminal or of all.
    public func waiting(of terminalId: String? = nil) async throws(LedgerError) -> [ShiftQuery.Waiting] {
        try await ledger.rows(of: ShiftQuery.waiting(of: terminalId, limit: Self.shifts)).compactMap { row in
            guard let terminalId = row.text("terminal_id"), let epoch = row.integer("epoch"),
                let closing = try? ShiftClosing(payload: JSONValue.stored(row.text("closing")))
            else { return nil }
            return ShiftQuery.Waiting(terminalId: terminalId, epoch: epoch, closing: closing)
        }
    }

    /// What the hub has of a closed shift, a statement for each epoch, not signed yet; nil while entries of
    /// it are still to come.
    ///
    /// - Parameter now: milliseconds since 1970.
    public func statements(
        of shift: ShiftQuery.Waiting, at now: Int64
    ) async throws(LedgerError) -> [ShiftStatement]? {
        let epochs = try await ledger.rows(of: ShiftQuery.epochs(of: shift.terminalId)).compactMap(Self.epoch)
        let opened = try await ledger.rows(of: ShiftQuery.openings(of: shift)).filter { row in
            JSONValue.stored(row.text("document"))["payload"]?["shiftId"]?.string
                == shift.closing.opening.shiftId
        }.compactMap { $0.integer("epoch") }
        guard
            let parts = ShiftComparison.parts(
                of: shift.closing, closedIn: shift.epoch, epochs: epochs, opened: Set(opened))
        else { return nil }
        var statements: [ShiftStatement] = []
        var counted: Set<String> = []
        for part in parts {
            let tally = try await self.tally(of: part, in: shift, counted: &counted)
            statements.append(tally.statement(of: shift.terminalId, at: now))
        }
        return statements
    }

    /// - Parameter counted: the ids of mutations that earlier parts counted; grows by those of this one.
    private func tally(
        of part: ShiftComparison.Part, in shift: ShiftQuery.Waiting, counted: inout Set<String>
    ) async throws(LedgerError) -> ShiftPartTally {
        var tally = ShiftPartTally(part, of: shift.closing)
        var behind = part.from - 1
        while true {
            let rows = try await ledger.rows(
                of: ShiftQuery.entries(
                    of: part, in: shift.terminalId, behind: behind, limit: Self.entries))
            var entries = rows.compactMap(Self.entry)
            for place in entries.indices where !entries[place].isApplied {
                entries[place].edit = try await edit(of: entries[place].id, by: shift.terminalId)
            }
            let sales = try await sales(voidedBy: entries)
            for entry in entries {
                tally.add(entry, counted: &counted, sales: sales)
                behind = entry.sequence
            }
            guard rows.count == Self.entries, !entries.isEmpty else { return tally }
        }
    }

    /// What stands in for a refused mutation: its accepted edit, or the one of an edit that was refused too.
    private func edit(
        of id: String, by terminalId: String
    ) async throws(LedgerError) -> ShiftComparison.Edit? {
        var refused = id
        for _ in 0..<Self.edits {
            guard let row = try await ledger.rows(of: ShiftQuery.edit(of: refused, by: terminalId)).first,
                let id = row.text("id"), let type = row.text("type")
            else { return nil }
            if row.text("outcome") == "applied" {
                let payload = JSONValue.stored(row.text("document"))["payload"] ?? .null
                return ShiftComparison.Edit(id: id, type: type, payload: payload)
            }
            refused = id
        }
        return nil
    }

    private func sales(voidedBy entries: [ShiftComparison.Entry]) async throws(LedgerError) -> [String:
        JSONValue]
    {
        var sales: [String: JSONValue] = [:]
        for entry in entries where entry.type == "order.voided" {
            guard let orderId = entry.payload["orderId"]?.string, sales[orderId] == nil,
                let row = try await ledger.rows(of: ShiftQuery.sale(orderId)).first
            else { continue }
            sales[orderId] = JSONValue.stored(row.text("document"))["payload"]
        }
        return sales
    }

    /// Publishes the signed statements, then notes what came of the comparison. A hub that ends between the
    /// two compares once more.
    ///
    /// - Returns: what became of the shift.
    public func settle(
        _ shift: ShiftQuery.Waiting, with statements: [ShiftStatement], at now: Int64
    ) async throws(LedgerError) -> ShiftSettlement {
        _ = try await ledger.importEntities(
            statements.map(PublishedStatement.init), withdrawing: [], at: now)
        let settlement = ShiftSettlement(shift.closing, statements)
        _ = try await ledger.change(
            by: [ShiftQuery.settlement(of: shift, settlement, statements, at: now)])
        return settlement
    }

    /// Lets disputed shifts of a terminal be compared once more.
    public func reconsider(_ terminalId: String) async throws(LedgerError) {
        _ = try await ledger.change(by: [ShiftQuery.reconsideration(of: terminalId)])
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
        let isCounted = ShiftTally.types.contains(type)
        return ShiftComparison.Entry(
            id: id, sequence: sequence, type: type, hash: hash, isApplied: row.text("outcome") == "applied",
            payload: isCounted ? JSONValue.stored(row.text("document"))["payload"] ?? .null : .null)
    }
}
