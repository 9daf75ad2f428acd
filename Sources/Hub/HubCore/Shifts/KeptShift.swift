package import HubProtocol

/// What the intake keeps of a shift besides its entries: one row for each shift of a terminal.
package struct KeptShift: Hashable, Sendable {
    package let device: DeviceIdentity
    /// The epoch of the journal in which it was opened or, once that has arrived, closed.
    package let epoch: Int64
    /// How it began; a closing repeats it.
    package let opening: ShiftOpening
    /// How it ended; nil while the hub has no `shift.closed` of it.
    package let closing: ShiftClosing?
    /// Milliseconds since 1970 by the hub's clock.
    package let receivedAt: Int64

    init(_ opening: ShiftOpening, _ closing: ShiftClosing?, of record: MutationRecord) {
        device = record.device
        epoch = record.epoch
        self.opening = opening
        self.closing = closing
        receivedAt = record.receivedAt
    }

    /// The row's values, in the order of ``columns``.
    package var row: [Column] {
        [
            .text(device.terminalId), .text(opening.shiftId), .text(device.storeId), .integer(epoch),
            .text(state.rawValue), .text(opening.businessDay), .text(opening.currency),
            .integer(opening.openedAt), .integer(closing?.closedAt),
            .text(opening.json.canonicalText), .text(closing?.json.canonicalText), .integer(receivedAt),
            .integer(closing?.from), .integer(closing?.to),
        ]
    }

    /// A value of the row.
    package enum Column: Hashable, Sendable {
        case text(String?)
        case integer(Int64?)
    }

    /// The names of the row's columns.
    package static let columns = [
        "terminal_id", "shift_id", "store_id", "epoch", "state", "business_day", "currency", "opened_at",
        "closed_at", "opening", "closing", "received_at", "first_sequence", "last_sequence",
    ]

    /// Inserts the row, which both stores understand, with `$1`, `$2`, … for its values; it returns a row
    /// where something was kept. A closing takes the place of an earlier epoch's: a database that was
    /// restored had the shift open again, and what was compared does not count any more.
    package static var insertion: String {
        let marks = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO shifts (\(columns.joined(separator: ", "))) VALUES (\(marks)) "
            + "ON CONFLICT (terminal_id, shift_id) DO UPDATE SET epoch = excluded.epoch, "
            + "state = excluded.state, closed_at = excluded.closed_at, closing = excluded.closing, "
            + "first_sequence = excluded.first_sequence, last_sequence = excluded.last_sequence, behind = 0, "
            + "statements = NULL, differences = NULL, card_machine = NULL, settled_at = NULL "
            + "WHERE excluded.closing IS NOT NULL "
            + "AND (shifts.closing IS NULL OR shifts.epoch < excluded.epoch) RETURNING shift_id"
    }

    /// Finds another closed shift of the terminal and the epoch that has one of this shift's entries, by
    /// ``overlapValues``.
    package static let overlap =
        "SELECT shift_id FROM shifts WHERE terminal_id = $1 AND epoch = $2 AND last_sequence >= $3 "
        + "AND first_sequence <= $4 AND shift_id <> $5 LIMIT 1"

    /// The values of ``overlap``.
    package var overlapValues: [Column] {
        [
            .text(device.terminalId), .integer(epoch), .integer(closing?.from), .integer(closing?.to),
            .text(opening.shiftId),
        ]
    }

    /// What an entry behind the end of a shift makes of its row, as the assignments of an update.
    package static let disputed =
        "state = CASE WHEN shifts.state = 'confirmed' THEN 'disputed' ELSE shifts.state END"

    /// Whether an entry at `sequence` of `epoch`, both as SQL, lies behind the end of a closed shift.
    package static func isBehind(epoch: String, sequence: String) -> String {
        "(shifts.closing IS NOT NULL AND (shifts.epoch < \(epoch) "
            + "OR (shifts.epoch = \(epoch) AND shifts.last_sequence < \(sequence))))"
    }

    /// Lets a disputed shift (`$1` the terminal, `$2` the shift) be compared once more; it returns a row
    /// where it was one.
    package static let reconsideration =
        "UPDATE shifts SET state = 'provisional' WHERE terminal_id = $1 AND shift_id = $2 "
        + "AND state = 'disputed' RETURNING shift_id"

    /// What the row says of it until it is compared.
    package var state: ShiftSettlement.State { closing == nil ? .open : .provisional }
}

/// A statement on its way into the change feed of its terminal.
package struct PublishedStatement: ImportedEntity {
    /// Signed.
    package let statement: ShiftStatement

    /// A signed statement.
    package init(_ statement: ShiftStatement) {
        self.statement = statement
    }

    /// One entity for each shift and epoch of a terminal; another statement of the same takes its place.
    /// The terminal's id, which the hub assigned, is the end: whatever shift another terminal names, it
    /// replaces no statement of this one. Terminals look the shift's id up as the beginning.
    package var key: EntityKey {
        EntityKey(
            ShiftStatement.entity, "\(statement.shiftId)-\(statement.epoch)-\(statement.terminalId)")
    }

    /// What the statement was published under before keys ended with the terminal's id.
    package static func earlierKey(of statement: ShiftStatement) -> EntityKey {
        EntityKey(ShiftStatement.entity, "\(statement.shiftId)-\(statement.epoch)")
    }

    /// Its terminal alone.
    package var audience: String { FeedAudience.terminal(statement.terminalId) }

    /// The statement as it is signed.
    package func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue { statement.json }
}
