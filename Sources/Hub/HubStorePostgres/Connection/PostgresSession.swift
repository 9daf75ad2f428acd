package import HubCore
package import HubStore

extension Dialect {
    static let postgres = Dialect(
        forUpdate: " FOR UPDATE", forUpdateOfFree: " FOR UPDATE SKIP LOCKED",
        isOne: { "= ANY(\($0)::text[])" },
        inBytes: { "\($0) COLLATE \"C\"" },
        place: { "strpos(\($1), \($0))" },
        planning: StoreQuery("SET LOCAL plan_cache_mode = force_custom_plan"), locking: \.query,
        numbering: .postgres)
}

/// A connection to the server, for single statements or within a transaction, whose beginning travels with
/// its first statement.
final class PostgresSession: FeedSession {
    let connection: PostgresConnection
    /// What goes ahead of the next statement.
    private var opening: [PostgresStatement]

    init(_ connection: PostgresConnection, opening: PostgresStatement? = nil) {
        self.connection = connection
        self.opening = opening.map { [$0] } ?? []
    }

    /// Whether the server knows of it.
    var hasBegun: Bool { opening.isEmpty }

    var dialect: Dialect { .postgres }

    var intake: any StoreIntake { PostgresIntake(on: connection, from: HybridLogicalClock()) }

    @discardableResult
    func run(_ statements: [StoreQuery]) throws -> [StoreRow] {
        try query(statements.map { PostgresStatement($0) }).map { $0.rows.map(\.stored) } ?? []
    }

    func page(
        of query: StoreQuery, rows count: Int, behind first: StoreQuery?
    ) throws -> (first: StoreRow?, page: StorePage) {
        let all = [first, query.paged].compactMap(\.self).map { PostgresStatement($0) }
        let responses = try connection.query(all)
        let rows = responses.last?.rows.map(\.stored) ?? []
        let shown = rows.prefix(count)
        let page = StorePage(
            rows: Array(shown), hasMore: rows.first?.integer("available") ?? 0 > Int64(shown.count))
        return (first == nil ? nil : responses.first?.rows.first?.stored, page)
    }

    func publish(_ changes: [PublishedChange]) throws {
        if !changes.isEmpty { try query([PublishedChange.statement(for: changes)]) }
    }

    /// - Returns: the rows of the last one.
    @discardableResult
    private func query(_ statements: [PostgresStatement]) throws(PostgresError) -> PostgresRows? {
        guard !statements.isEmpty else { return nil }
        let all = opening + statements
        opening = []
        return try connection.query(all).last
    }
}

extension StoreQuery {
    /// Its rows that fit a page, each with how many there are. The server adds the sizes up without reading
    /// large values, and sends no row behind the page.
    fileprivate var paged: StoreQuery {
        let size = texts.reduce("\(PageLimit.rowOverhead)") {
            $0 + " + COALESCE(octet_length(one.\($1)::text), 0)"
        }
        return StoreQuery(
            "SELECT * FROM (SELECT counted.*, COUNT(*) OVER () AS available, "
                + "(SUM(size) OVER (ORDER BY place) - size)::bigint AS bytes_before FROM ("
                + "SELECT one.*, ROW_NUMBER() OVER () AS place, (\(size))::bigint AS size "
                + "FROM (\(sql)) AS one) AS counted) AS sized "
                + "WHERE bytes_before = 0 OR bytes_before + size <= $\(values.count + 1) ORDER BY place",
            values + [.integer(PageLimit.bytes)])
    }
}

extension PostgresStatement {
    /// Begins a transaction whose statements all read what was there at one moment.
    static let frozen = PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ")

    init(_ query: StoreQuery) {
        self.init(query.sql, query.values.map { PostgresValue($0) })
    }
}

extension PostgresValue {
    init(_ value: StoreValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            case .texts(let texts): .texts(texts)
            }
    }
}

/// A ledger in a database.
protocol PostgresStore: SQLStore {
    var database: PostgresDatabase { get }
}

extension PostgresStore {
    package func perform<Value: Sendable>(
        _ access: StoreAccess, isLong: Bool,
        _ body: @escaping @Sendable (any StoreSession) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        try await database.perform(isLong: isLong) { connection throws(PostgresError) in
            switch access {
            case .reading, .statement:
                try PostgresError.translating { try body(PostgresSession(connection)).value }
            case .transaction:
                try PostgresDatabase.transaction(on: connection, body)
            case .frozen:
                try PostgresDatabase.transaction(on: connection, opening: .frozen, body)
            case .snapshot:
                try PostgresDatabase.snapshot(on: connection) { try body($0).value }
            }
        }
    }
}

extension PostgresDatabase {
    static func transaction<Value>(
        on connection: PostgresConnection, opening: PostgresStatement = .begin,
        _ body: (PostgresSession) throws -> TransactionEnding<Value>
    ) throws(PostgresError) -> Value {
        try repeating(on: connection) { () throws(PostgresError) in
            let session = PostgresSession(connection, opening: opening)
            let ending = try PostgresError.translating { try body(session) }
            guard session.hasBegun else { return ending.value }
            switch ending {
            case .keep: try connection.query([.commit])
            case .undo: try connection.query([.rollback])
            }
            return ending.value
        }
    }

    /// All statements read what was there at one moment.
    static func snapshot<Value>(
        on connection: PostgresConnection, _ body: (PostgresSession) throws -> Value
    ) throws(PostgresError) -> Value {
        try connection.query([PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")])
        let result = Result { () throws(PostgresError) in
            try PostgresError.translating { try body(PostgresSession(connection)) }
        }
        if !connection.isBroken { try connection.query([.rollback]) }
        return try result.get()
    }
}

/// Its statements go behind what was not written yet.
extension PostgresIntake: StoreIntake {
    var dialect: Dialect { .postgres }

    var intake: any StoreIntake { self }

    @discardableResult
    func run(_ statements: [StoreQuery]) throws -> [StoreRow] {
        guard !statements.isEmpty else { return [] }
        return try queryAfterUnwritten(statements.map { PostgresStatement($0) }).rows.map(\.stored)
    }

    func page(
        of query: StoreQuery, rows count: Int, behind first: StoreQuery?
    ) throws -> (first: StoreRow?, page: StorePage) {
        try queryAfterUnwritten([])
        return try PostgresSession(connection).page(of: query, rows: count, behind: first)
    }
}

extension PostgresLedger {
    package func intake<Value: Sendable>(
        for purpose: IntakePurpose, at now: Int64,
        _ body: @escaping @Sendable (any StoreIntake) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await database.perform(isLong: purpose.isLong) { connection throws(PostgresError) in
            let clock =
                try purpose.ticks.map { count throws(PostgresError) in
                    try PostgresClock.reserve(count, at: now, on: connection)
                } ?? HybridLogicalClock()
            return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                let intake = PostgresIntake(on: connection, from: clock)
                switch purpose {
                case .changes: break
                case .lending: try connection.query([StoreLock.feed.statement])
                case .refunds(let terminalId):
                    try connection.query([StoreLock.refunds(of: terminalId).statement])
                case .head(let request): try intake.read([request])
                }
                let value = try PostgresError.translating { try body(intake) }
                _ = try intake.write()
                return .keep(value)
            }
        }
    }

    /// Behind the feed's lock, so that changes come one after another, each at a later moment.
    package func publish<Value: Sendable>(
        _ ticks: Int, at now: Int64, isLong: Bool,
        _ body:
            @escaping @Sendable (any FeedSession, inout HybridLogicalClock) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        try await database.perform(isLong: isLong) { connection throws(PostgresError) in
            try StoreLock.feed.held(on: connection) { () throws(PostgresError) in
                let reserved = try PostgresClock.reserve(ticks, at: now, on: connection)
                return try PostgresDatabase.transaction(on: connection) { session in
                    var clock = reserved
                    return try body(session, &clock)
                }
            }
        }
    }
}

extension IntakePurpose {
    fileprivate var ticks: Int? {
        switch self {
        case .changes(let count): count
        case .lending: LeaseProcedure<PostgresIntake>.ticks
        case .refunds, .head: nil
        }
    }

    fileprivate var isLong: Bool {
        if case .changes = self { true } else { false }
    }
}
