/// Runs the queries that both stores understand, for what people and back offices look at.
public protocol QueryLedger: Sendable {
    /// The rows of a query.
    func rows(of query: StoreQuery) async throws(LedgerError) -> [StoreRow]

    /// Runs changes in one transaction, which is undone when the first of them changes nothing.
    ///
    /// - Parameter changes: the first one returns the rows that it changed.
    /// - Returns: whether it changed something.
    func change(by changes: [StoreQuery]) async throws(LedgerError) -> Bool
}

/// A statement that both stores understand.
public struct StoreQuery: Hashable, Sendable {
    /// A value of a statement.
    public enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
    }

    /// With `$1`, `$2`, … for the values, in the order in which they are there first.
    package let sql: String
    package let values: [Value]

    package init(_ sql: String, _ values: [Value] = []) {
        self.sql = sql
        self.values = values
    }
}

/// A row of a ``StoreQuery``, read by the names of its columns.
public struct StoreRow: Hashable, Sendable {
    private let values: [String: String]

    /// - Parameter values: as text; columns without a value are absent.
    package init(_ values: [String: String]) {
        self.values = values
    }

    /// Nil for NULL.
    public func text(_ column: String) -> String? { values[column] }

    /// Nil for NULL.
    public func integer(_ column: String) -> Int64? { values[column].flatMap { Int64($0) } }
}
