public import HubProtocol

/// What the intake keeps of a shift besides its entries: one row for each shift of a terminal.
public struct KeptShift: Hashable, Sendable {
    /// Whose shift it is.
    public let device: DeviceIdentity
    /// The epoch of the journal in which it was opened or, once that has arrived, closed.
    public let epoch: Int64
    /// How it began; a closing repeats it.
    public let opening: ShiftOpening
    /// How it ended; nil while the hub has no `shift.closed` of it.
    public let closing: ShiftClosing?
    /// Milliseconds since 1970 by the hub's clock.
    public let receivedAt: Int64

    init(_ opening: ShiftOpening, _ closing: ShiftClosing?, of record: MutationRecord) {
        device = record.device
        epoch = record.epoch
        self.opening = opening
        self.closing = closing
        receivedAt = record.receivedAt
    }

    /// The row's values, in the order of ``columns``.
    public var row: [Column] {
        [
            .text(device.terminalId), .text(opening.shiftId), .text(device.storeId), .integer(epoch),
            .text(state.rawValue), .text(opening.businessDay), .text(opening.currency),
            .integer(opening.openedAt), .integer(closing?.closedAt),
            .text(opening.payload.canonicalText), .text(closing?.payload.canonicalText), .integer(receivedAt),
        ]
    }

    /// A value of the row.
    public enum Column: Hashable, Sendable {
        case text(String?)
        case integer(Int64?)
    }

    /// The names of the row's columns.
    public static let columns = [
        "terminal_id", "shift_id", "store_id", "epoch", "state", "business_day", "currency", "opened_at",
        "closed_at", "opening", "closing", "received_at",
    ]

    /// Inserts the row, which both stores understand, with `$1`, `$2`, … for its values.
    public static var insertion: String {
        let marks = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO shifts (\(columns.joined(separator: ", "))) VALUES (\(marks)) "
            + "ON CONFLICT (terminal_id, shift_id) DO UPDATE SET epoch = excluded.epoch, "
            + "state = excluded.state, closed_at = excluded.closed_at, closing = excluded.closing "
            + "WHERE shifts.closing IS NULL AND excluded.closing IS NOT NULL"
    }

    /// What the row says of it until it is compared.
    public var state: ShiftSettlement.State { closing == nil ? .open : .provisional }
}

/// A statement on its way into the change feed of its terminal.
public struct PublishedStatement: ImportedEntity {
    /// Signed.
    public let statement: ShiftStatement

    /// A signed statement.
    public init(_ statement: ShiftStatement) {
        self.statement = statement
    }

    /// One entity for each shift and epoch; another statement of the same takes its place.
    public var key: EntityKey {
        EntityKey(ShiftStatement.entity, "\(statement.shiftId)-\(statement.epoch)")
    }

    /// Its terminal alone.
    public var audience: String { FeedAudience.terminal(statement.terminalId) }

    /// The statement as it is signed.
    public func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue { statement.json }
}
