internal import DirectSQLite
internal import GRDB
package import HubCore
internal import HubProtocol
package import HubStore

extension Dialect {
    /// One process owns the file and has one writer, and every read is a snapshot: there is nothing to lock.
    static let sqlite = Dialect(
        forUpdate: "", forUpdateOfFree: "", isOne: { "IN (SELECT value FROM json_each(\($0)))" },
        inBytes: { $0 }, place: { "instr(\($1), \($0))" }, planning: nil, locking: { _ in nil },
        numbering: JournalNumbering(
            announcement: nil, last: StoreQuery(JournalRows.last),
            settled: nil))
}

/// A connection to the file, within a transaction of its writer or a read.
struct SQLiteSession: FeedSession {
    let db: Database

    var dialect: Dialect { .sqlite }

    var intake: any StoreIntake { SQLiteIntake(db: db) }

    @discardableResult
    func run(_ statements: [StoreQuery]) throws -> [StoreRow] {
        guard let last = statements.last else { return [] }
        for statement in statements.dropLast() { _ = try rows(of: statement) }
        return try rows(of: last)
    }

    func publish(_ changes: [PublishedChange]) throws {
        for change in changes { try db.publish(change) }
    }

    /// Rows are read one by one until the page is full.
    func page(
        of query: StoreQuery, rows count: Int, behind first: StoreQuery?
    ) throws -> (first: StoreRow?, page: StorePage) {
        let before = try first.flatMap { try self.rows(of: $0).first }
        var names: [String] = []
        var measured: [Int32] = []
        var bytes: Int64 = 0
        var rows: [StoreRow] = []
        let isWhole = try DirectStatement(query.sql, in: db).each({ query.bind(to: &$0) }) { row in
            if names.isEmpty {
                names = (0..<row.count).map(row.name)
                measured = query.texts.compactMap { names.firstIndex(of: $0) }.map { Int32($0) }
            }
            let size = measured.reduce(PageLimit.rowOverhead) { $0 + Int64(row.byteCount($1)) }
            guard rows.count < count, PageLimit.takes(size, behind: bytes) else { return false }
            bytes += size
            rows.append(StoreRow((0..<Int32(names.count)).map(row.value), columns: names))
            return true
        }
        return (before, StorePage(rows: rows, hasMore: !isWhole))
    }

    private func rows(of query: StoreQuery) throws -> [StoreRow] {
        var names: [String] = []
        return try DirectStatement(query.sql, in: db).all({ query.bind(to: &$0) }) { row in
            if names.isEmpty { names = (0..<row.count).map(row.name) }
            return StoreRow((0..<Int32(names.count)).map(row.value), columns: names)
        }
    }
}

extension StoreQuery {
    func bind(to row: inout Bindings) {
        row.addNumbered { row, number in
            switch values[number - 1] {
            case .null: row.addNull()
            case .integer(let value): row.add(value)
            case .text(let text): row.add(text)
            case .bytes(let bytes): row.add(bytes)
            case .texts(let texts): row.add(JSONValue.array(texts.map(JSONValue.string)).canonicalText)
            }
        }
    }
}

extension Columns {
    func value(_ index: Int32) -> StoreValue {
        switch kind(index) {
        case .null: .null
        case .integer: .integer(integer(index))
        case .text: .text(text(index))
        case .bytes: .bytes(bytes(index))
        }
    }
}

/// A ledger in a file.
protocol SQLiteStore: SQLStore {
    var file: SQLiteFile { get }
    var writer: GroupWriter { get }
}

extension SQLiteStore {
    package func perform<Value: Sendable>(
        _ access: StoreAccess, isLong: Bool,
        _ body: @escaping @Sendable (any StoreSession) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        switch access {
        case .reading, .snapshot:
            try await file.read { db in try body(SQLiteSession(db: db)).value }
        case .statement, .transaction, .frozen:
            try await writer.write { db in try body(SQLiteSession(db: db)) }
        }
    }
}

extension SQLiteIntake: StoreIntake {
    private var session: SQLiteSession { SQLiteSession(db: db) }

    var dialect: Dialect { .sqlite }

    var intake: any StoreIntake { self }

    @discardableResult
    func run(_ statements: [StoreQuery]) throws -> [StoreRow] { try session.run(statements) }

    func page(
        of query: StoreQuery, rows count: Int, behind first: StoreQuery?
    ) throws -> (first: StoreRow?, page: StorePage) {
        try session.page(of: query, rows: count, behind: first)
    }
}

extension SQLiteLedger {
    /// One write transaction, of which there is one at a time.
    package func intake<Value: Sendable>(
        for purpose: IntakePurpose, at now: Int64,
        _ body: @escaping @Sendable (any StoreIntake) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await writer.write { db in .keep(try body(SQLiteIntake(db: db))) }
    }

    package func publish<Value: Sendable>(
        _ ticks: Int, at now: Int64, isLong: Bool,
        _ body:
            @escaping @Sendable (any FeedSession, inout HybridLogicalClock) throws -> TransactionEnding<Value>
    ) async throws(LedgerError) -> Value {
        try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            var clock = try intake.clock()
            let ending = try body(SQLiteSession(db: db), &clock)
            if case .keep = ending { try intake.save(clock) }
            return ending
        }
    }
}
