internal import Glibc
internal import HubStore

/// Transactions on a pool of connections. A transaction that collided with another one runs again.
final class PostgresDatabase: Sendable {
    private let pool: PostgresPool

    /// Connections of one process; each is a process on the server.
    static let connections = 4
    private static let maximumAttempts = 8

    /// Connects, and makes or migrates the tables as needed.
    init(
        url: String, schema: PostgresSchema, longest: Duration = PostgresDeadlines.longest
    ) throws(LedgerError) {
        try Self.prepare(url, schema)
        pool = PostgresPool(url: url, size: Self.connections, longest: longest)
    }

    func close() {
        pool.close()
    }

    /// Runs `body` with a connection that no other call uses meanwhile. Each query of the connection is a
    /// transaction of its own.
    ///
    /// - Parameter isLong: see ``PostgresPool/perform(isLong:_:)``.
    func perform<Value: Sendable>(
        isLong: Bool = false,
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> Value
    ) async throws(LedgerError) -> Value {
        do throws(PostgresError) {
            return try await pool.perform(isLong: isLong, body)
        } catch {
            throw error.ledgerError
        }
    }

    /// Runs `body` in a transaction and returns when that is durable, or undone.
    func write<Value: Sendable>(
        isLong: Bool = false,
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        try await perform(isLong: isLong) { connection throws(PostgresError) in
            try Self.write(on: connection) { () throws(PostgresError) in try body(connection) }
        }
    }

    /// The same on a connection that one has.
    static func write<Value: Sendable>(
        on connection: PostgresConnection, _ body: () throws(PostgresError) -> TransactionEnding<Value>
    ) throws(PostgresError) -> Value {
        try repeating(on: connection) { () throws(PostgresError) in
            try connection.query([.begin])
            switch try body() {
            case .keep(let value):
                try connection.query([.commit])
                return value
            case .undo(let value):
                try connection.query([.rollback])
                return value
            }
        }
    }

    /// Runs `transaction` until it does not collide, a few times at most. What failed is rolled back.
    static func repeating<Value>(
        on connection: PostgresConnection, _ transaction: () throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try transaction()
            } catch {
                if !connection.isBroken { try connection.query([.rollback]) }
                guard case .collided = error, attempt < maximumAttempts else { throw error }
                // Spread out, so that the same two do not meet again.
                usleep(.random(in: 1_000...(2_000 << UInt32(attempt))))
                attempt += 1
            }
        }
    }

    /// Connects once, refuses a server that does not sync, and migrates.
    private static func prepare(_ url: String, _ schema: PostgresSchema) throws(LedgerError) {
        let connection: PostgresConnection
        let synced: String?
        do throws(PostgresError) {
            connection = try PostgresConnection(url: url)
            synced = try connection.query("SELECT current_setting('fsync')").first?.optionalText(0)
        } catch {
            throw error.ledgerError
        }
        guard synced == "on" else { throw .notDurable(path: PostgresURL.shown(url)) }
        try schema.migrate(connection, shownURL: PostgresURL.shown(url))
    }
}
