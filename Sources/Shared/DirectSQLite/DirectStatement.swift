package import GRDB
internal import GRDBSQLite
internal import Glibc

/// A prepared statement for frequent operations, bound and stepped through SQLite's own interface.
///
/// A sale at the terminal, or its intake at the hub, is half a dozen statements; binding and decoding them
/// through GRDB costs several times as much as running them.
package struct DirectStatement {
    private let handle: OpaquePointer
    private let sql: String

    /// Prepares `sql` once for each connection.
    package init(_ sql: String, in database: Database) throws {
        handle = try database.cachedStatement(sql: sql).sqliteStatement
        self.sql = sql
    }

    /// Runs a statement that returns no rows.
    package func run(_ bind: (inout Bindings) -> Void = { _ in }) throws {
        var bindings = Bindings(handle)
        bind(&bindings)
        defer { finish() }
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
    }

    /// The first row, read by `read`; nil without one.
    package func first<Value>(
        _ bind: (inout Bindings) -> Void = { _ in }, _ read: (Columns) throws -> Value
    ) throws -> Value? {
        var bindings = Bindings(handle)
        bind(&bindings)
        defer { finish() }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return try read(Columns(handle: handle))
        case SQLITE_DONE: return nil
        case let code: throw failure(code)
        }
    }

    /// Every row, read by `read`, in the order that SQLite gives them.
    package func all<Value>(
        _ bind: (inout Bindings) -> Void = { _ in }, _ read: (Columns) throws -> Value
    ) throws -> [Value] {
        var bindings = Bindings(handle)
        bind(&bindings)
        defer { finish() }
        var values: [Value] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: values.append(try read(Columns(handle: handle)))
            case SQLITE_DONE: return values
            case let code: throw failure(code)
            }
        }
    }

    /// Looks at rows in the order that SQLite gives them, until one is not taken.
    ///
    /// - Returns: whether all were.
    package func each(
        _ bind: (inout Bindings) -> Void = { _ in }, _ isTaken: (Columns) throws -> Bool
    ) throws -> Bool {
        var bindings = Bindings(handle)
        bind(&bindings)
        defer { finish() }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: if try !isTaken(Columns(handle: handle)) { return false }
            case SQLITE_DONE: return true
            case let code: throw failure(code)
            }
        }
    }

    /// The number of rows that the last statement changed on its connection.
    package var changes: Int { Int(sqlite3_changes(sqlite3_db_handle(handle))) }

    /// A statement that is not reset would keep its transaction open.
    private func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func failure(_ code: Int32) -> DatabaseError {
        let connection = sqlite3_db_handle(handle)
        return DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errmsg(connection).map { String(cString: $0) }, sql: sql)
    }
}

/// Binds the parameters of a statement one after another.
package struct Bindings {
    private let handle: OpaquePointer
    private var index: Int32 = 0
    /// SQLite's constant `SQLITE_TRANSIENT`: it copies the bytes at once.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    package mutating func add(_ number: Int64) {
        index += 1
        sqlite3_bind_int64(handle, index, number)
    }

    package mutating func add(_ text: String) {
        index += 1
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // An empty string's buffer may be nil, which SQLite would bind as NULL.
                guard let start = characters.baseAddress else {
                    _ = sqlite3_bind_text(handle, index, "", 0, Self.transient)
                    return
                }
                sqlite3_bind_text(handle, index, start, Int32(clamping: characters.count), Self.transient)
            }
        }
    }

    /// Nil is bound as NULL.
    package mutating func add(_ number: Int64?) {
        guard let number else {
            addNull()
            return
        }
        add(number)
    }

    /// Nil is bound as NULL.
    package mutating func add(_ text: String?) {
        guard let text else {
            addNull()
            return
        }
        add(text)
    }

    package mutating func addNull() {
        index += 1
        sqlite3_bind_null(handle, index)
    }

    /// Adds a value for each mark `$N` of the statement, in whatever order they stand and however often.
    ///
    /// - Parameter add: adds the value with a number, counted from 1.
    package mutating func addNumbered(_ add: (inout Bindings, _ number: Int) -> Void) {
        let count = sqlite3_bind_parameter_count(handle)
        while index < count {
            let name = sqlite3_bind_parameter_name(handle, index + 1)
            add(&self, name.flatMap { Int(atol($0 + 1)) } ?? 0)
        }
    }

    package mutating func add(_ bytes: [UInt8]) {
        index += 1
        bytes.withUnsafeBytes { buffer in
            _ = sqlite3_bind_blob64(
                handle, index, buffer.baseAddress, UInt64(buffer.count), Self.transient)
        }
    }
}

/// The columns of a statement's present row, counted from 0.
package struct Columns {
    fileprivate let handle: OpaquePointer

    package func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    package func optionalInteger(_ index: Int32) -> Int64? { isNull(index) ? nil : integer(index) }

    /// Empty for NULL.
    package func text(_ index: Int32) -> String { optionalText(index) ?? "" }

    package func optionalText(_ index: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, index) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Empty for NULL.
    package func bytes(_ index: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Of a text, in UTF-8; 0 for NULL.
    package func byteCount(_ index: Int32) -> Int32 { sqlite3_column_bytes(handle, index) }

    package var count: Int32 { sqlite3_column_count(handle) }

    package func name(_ index: Int32) -> String {
        sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }

    package enum Kind {
        case null, integer, text, bytes
    }

    /// A number with a fraction is read as text.
    package func kind(_ index: Int32) -> Kind {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_BLOB: .bytes
        case _: .text
        }
    }

    private func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }
}

/// The statements of one transaction, each looked up once: finding one by its text costs as much as a small
/// row does.
package final class PreparedStatements {
    private let database: Database
    private var prepared: [(sql: UnsafePointer<UInt8>, statement: DirectStatement)] = []

    /// - Parameter database: the connection; the statements must not outlive its transaction.
    package init(_ database: Database) {
        self.database = database
    }

    /// - Parameter sql: a literal; one in two places of the code may be looked up twice.
    package subscript(_ sql: StaticString) -> DirectStatement {
        get throws {
            if let known = prepared.first(where: { $0.sql == sql.utf8Start }) { return known.statement }
            let statement = try DirectStatement("\(sql)", in: database)
            prepared.append((sql.utf8Start, statement))
            return statement
        }
    }
}
