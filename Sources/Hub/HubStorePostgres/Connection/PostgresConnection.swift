internal import CPostgres
internal import Glibc

/// One connection to the server, always in libpq's pipeline mode: the statements of one call are sent
/// together and need one round trip.
///
/// Its calls block, but never longer than ``responseSeconds``. Only one caller uses it at a time.
final class PostgresConnection: @unchecked Sendable {
    // One job at a time has the connection, which `PostgresWorker` sees to.
    private let handle: OpaquePointer
    /// The names of the statements that the server has prepared, by their text.
    private var prepared: [String: String] = [:]
    /// The columns of their results, by their text, from the first result on.
    private var columns: [String: PostgresColumns] = [:]
    /// Whether no more statements can be sent.
    private(set) var isBroken = false

    /// How long the server may take for the statements of one call.
    static let responseSeconds: Int64 = 20
    /// How long a transaction waits for another one's lock.
    static let lockMilliseconds = 2_000

    /// Connects to `url`, a connection string of libpq.
    init(url: String) throws(PostgresError) {
        guard cpostgres_load() == 0 else {
            throw .unreachable("libpq is not installed: \(String(cString: cpostgres_load_error()))")
        }
        guard let handle = Self.connected(to: url) else { throw .unreachable("no memory for a connection") }
        self.handle = handle
        guard Int(cpostgres_status(handle)) == CPG_CONNECTION_OK, cpostgres_set_nonblocking(handle) == 0,
            cpostgres_enter_pipeline(handle) == 1
        else {
            isBroken = true
            throw .unreachable(PostgresError.message(of: handle))
        }
        _ = fcntl(cpostgres_socket(handle), F_SETFD, FD_CLOEXEC)
        try query(Self.sessionSettings)
    }

    deinit { cpostgres_finish(handle) }

    /// The URL overrides what is before it, and not what is after it.
    private static func connected(to url: String) -> OpaquePointer? {
        let parameters = [
            ("connect_timeout", "2"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "10"),
            ("fallback_application_name", "pos-hub"), ("dbname", url), ("client_encoding", "UTF8"),
        ]
        let texts = parameters.map { (strdup($0.0), strdup($0.1)) }
        defer {
            for (key, value) in texts {
                free(key)
                free(value)
            }
        }
        let keys = texts.map { UnsafePointer($0.0) } + [nil]
        let values = texts.map { UnsafePointer($0.1) } + [nil]
        return cpostgres_connect(keys, values)
    }

    /// A database or role that says `off` must not make our commits less than durable.
    private static let sessionSettings = [
        PostgresStatement("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED"),
        PostgresStatement("SET lock_timeout = \(lockMilliseconds)"),
        PostgresStatement("SET statement_timeout = \((responseSeconds - 1) * 1000)"),
        PostgresStatement("SET idle_in_transaction_session_timeout = \(responseSeconds * 1000)"),
        PostgresStatement("SET client_min_messages = error"),
        PostgresStatement(
            "SELECT set_config('synchronous_commit', 'on', false) "
                + "WHERE current_setting('synchronous_commit') = 'off'"),
    ]

    /// Whether the server has sent something without a request: it ends the connection.
    func looksLost() -> Bool {
        guard !isBroken else { return true }
        var descriptor = pollfd(fd: cpostgres_socket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }

    /// Runs one statement.
    @discardableResult
    func query(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        guard let rows = try query([PostgresStatement(sql, values)]).first else {
            throw .refused(state: "-----", message: "no answer to a statement")
        }
        return rows
    }

    /// Runs all statements in one round trip. Outside a transaction it is one of its own.
    ///
    /// - Parameter seconds: how long the responses may take; then the connection counts as broken.
    /// - Returns: the rows of each statement.
    /// - Throws: the first failure; what stood behind it was not done.
    @discardableResult
    func query(
        _ statements: [PostgresStatement], within seconds: Int64 = responseSeconds
    ) throws(PostgresError) -> [PostgresRows] {
        guard !isBroken else { throw .unreachable("the connection is broken") }
        let began = ContinuousClock.now
        var exchange = PostgresExchange(
            handle, until: ContinuousClock.now + .seconds(seconds))
        do throws(PostgresError) {
            var fresh: [String: String] = [:]
            var unnamed: [Int] = []
            for (index, statement) in statements.enumerated() {
                let known = prepared[statement.sql] ?? fresh[statement.sql]
                let name = known ?? "s\(prepared.count + fresh.count)"
                if known == nil {
                    fresh[statement.sql] = name
                    try exchange.prepare(statement.sql, as: name)
                }
                let columns = columns[statement.sql]
                if columns == nil { unnamed.append(index) }
                try exchange.execute(name, statement.values, columns: columns)
            }
            let responses = try exchange.finish()
            prepared.merge(fresh.filter { responses.prepared.contains($0.value) }) { $1 }
            for index in unnamed where responses.rows.indices.contains(index) {
                columns[statements[index].sql] = responses.rows[index].columns
            }
            if let failure = responses.failure { throw failure }
            return responses.rows
        } catch {
            if case .unreachable = error { isBroken = true }
            if case .timedOut = error { throw .timedOut(elapsed: .now - began) }
            throw error
        }
    }
}
