public import HubProtocol

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
        EntityKey(TerminalEntity.statement, "\(statement.shiftId)-\(statement.epoch)")
    }

    /// Its terminal alone.
    public var audience: String { FeedAudience.terminal(statement.terminalId) }

    /// The statement as it is signed.
    public func value(over known: JSONValue?) throws(ImportObjection) -> JSONValue { statement.json }
}
