package import HubCore

/// A connection that one caller has, within a transaction or for single statements.
package protocol StoreSession {
    var dialect: Dialect { get }

    /// The intake's queries on the same connection; without what an intake has read ahead.
    var intake: any StoreIntake { get }

    /// Runs statements in their order, in one round trip where there is one.
    ///
    /// - Returns: the rows of the last one.
    @discardableResult
    func run(_ statements: [StoreQuery]) throws -> [StoreRow]

    /// The first rows of a query with an order, as many as ``PageLimit`` takes: nothing behind them is held.
    ///
    /// - Parameters:
    ///   - count: how many rows at most; the query itself gives one more where there is one.
    ///   - first: a statement ahead of it, with one row.
    /// - Returns: the row of `first`, and the page.
    func page(
        of query: StoreQuery, rows count: Int, behind first: StoreQuery?
    ) throws -> (first: StoreRow?, page: StorePage)
}

extension StoreSession {
    package func rows(_ sql: String, _ values: [any StoreConvertible] = []) throws -> [StoreRow] {
        try run([StoreQuery(sql, of: values)])
    }

    package func first(_ sql: String, _ values: [any StoreConvertible] = []) throws -> StoreRow? {
        try run([StoreQuery(sql, of: values)]).first
    }

    package func run(_ sql: String, _ values: [any StoreConvertible] = []) throws {
        try run([StoreQuery(sql, of: values)])
    }

    /// Waits for the lock and holds it to the end of the transaction.
    package func lock(_ lock: StoreLock) throws {
        if let statement = dialect.locking(lock) { try run([statement]) }
    }
}

/// Thrown within a transaction: another one came between two of its statements. A store where that can be
/// undoes it and runs it again, a few times at most; after that, and in a store with one writer, it is
/// ``LedgerError/busy``.
package struct TransactionCollision: Error {
    package init() {}
}

/// How much of the store a call has.
package enum StoreAccess: Sendable {
    /// Statements that read, each what is there when it begins.
    case reading
    /// One statement that changes something: a transaction of its own.
    case statement
    /// Statements that are kept or undone together.
    case transaction
    /// The same, and all read what was there at one moment.
    case frozen
    /// Statements that read what was there at one moment.
    case snapshot
}

/// A store that is spoken with in SQL.
package protocol SQLStore: Sendable {
    /// Runs `body` with a connection that nobody else uses meanwhile. What it changes is durable when this
    /// returns.
    ///
    /// - Parameter isLong: whether it may take minutes, as no caller on the network waits for it.
    func perform<Value: Sendable>(
        _ access: StoreAccess, isLong: Bool,
        _ body: @escaping @Sendable (any StoreSession) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value
}

extension SQLStore {
    package func read<Value: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (any StoreSession) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(.reading, isLong: isLong) { session in .keep(try body(session)) }
    }

    package func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreSession) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(.snapshot, isLong: true) { session in .keep(try body(session)) }
    }

    /// Runs one statement that changes something.
    package func change<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreSession) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await perform(.statement, isLong: false) { session in .keep(try body(session)) }
    }

    package func write<Value: Sendable>(
        isLong: Bool = false,
        _ body: @escaping @Sendable (any StoreSession) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        try await perform(.transaction, isLong: isLong, body)
    }
}

/// The intake's transaction, with what is written once of it.
package protocol StoreIntake: StoreSession, RefundTransaction, LeaseTransaction, MemberReversalTransaction {
    /// Of the ledger, where many transactions share it.
    var memory: IntakeMemory { get }
}

/// What a transaction of an intake without a push is about.
package enum IntakePurpose: Sendable {
    /// Changes of entities, so many at most. No caller on the network waits for it.
    case changes(Int)
    /// Leases: hubs lend one after another.
    case lending
    /// The refunds of a terminal, which are decided one after another, since they count what it has open.
    case refunds(of: String)
    /// A head, in a request without mutations.
    case head(IntakeRequest)
}

/// A session within ``Ledger/publish(_:at:isLong:_:)``.
package protocol FeedSession: StoreSession {
    /// Moves each entity to the feed's end with its new state and the next version; none of them comes twice.
    func publish(_ changes: [PublishedChange]) throws
}
