internal import CPostgres
internal import HubStore

/// The names of a statement's columns, as its results have them.
final class PostgresColumns: Sendable {
    let names: [String]

    /// Copies the names out of `result`, which stays the caller's.
    init(of result: OpaquePointer) {
        names = (0..<cpostgres_result_columns(result)).map { column in
            cpostgres_result_name(result, column).map { String(cString: $0) } ?? ""
        }
    }

    /// A name that the statement does not have is a fault of ours, as an unexpected type is.
    func index(of name: String) throws(PostgresError) -> Int {
        guard let index = names.firstIndex(of: name) else { throw .unexpected(column: name) }
        return index
    }
}

/// What a command gave back.
struct PostgresRows: Sendable {
    let rows: [PostgresRow]
    let columns: PostgresColumns

    /// Copies the rows out of `result`, which stays the caller's.
    ///
    /// - Parameter known: the columns that a result of the same statement had before; nil at the first. So
    ///   names are copied once for each statement of a connection.
    init(copying result: OpaquePointer, named known: PostgresColumns?) {
        let columns = known ?? PostgresColumns(of: result)
        let count = cpostgres_result_columns(result)
        rows = (0..<cpostgres_result_rows(result)).map { row in
            PostgresRow((0..<count).map { Self.text(result, row, $0) }, columns)
        }
        self.columns = columns
    }

    private static func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String? {
        guard let start = cpostgres_result_value(result, row, column) else { return nil }
        let length = Int(cpostgres_result_length(result, row, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    var first: PostgresRow? { rows.first }
}

/// One row, read by the names of its columns.
///
/// By their numbers, from 0, only where a push waits for it (the folder `Intake`: a batch reads thousands of
/// values, and to find a name costs as much as to read its value), and where a statement has one column.
struct PostgresRow: Sendable {
    private let values: [String?]
    private let columns: PostgresColumns

    init(_ values: [String?], _ columns: PostgresColumns) {
        self.values = values
        self.columns = columns
    }

    var stored: StoreRow { StoreRow(texts: values, columns: columns.names) }

    func optionalText(_ name: String) throws(PostgresError) -> String? {
        optionalText(try columns.index(of: name))
    }

    func optionalInteger(_ name: String) throws(PostgresError) -> Int64? {
        optionalInteger(try columns.index(of: name))
    }

    func text(_ name: String) throws(PostgresError) -> String {
        guard let text = try optionalText(name) else { throw .unexpected(column: name) }
        return text
    }

    func integer(_ name: String) throws(PostgresError) -> Int64 {
        guard let number = try optionalInteger(name) else { throw .unexpected(column: name) }
        return number
    }

    func optionalText(_ column: Int) -> String? { values.indices.contains(column) ? values[column] : nil }

    func optionalInteger(_ column: Int) -> Int64? { optionalText(column).flatMap { Int64($0) } }

    func text(_ column: Int) throws(PostgresError) -> String {
        guard let text = optionalText(column) else { throw .unexpected(column: "\(column)") }
        return text
    }

    func integer(_ column: Int) throws(PostgresError) -> Int64 {
        guard let number = optionalInteger(column) else { throw .unexpected(column: "\(column)") }
        return number
    }
}
