internal import CPostgres

/// What a command gave back.
struct PostgresRows: Sendable {
    let rows: [PostgresRow]

    /// Copies the rows out of `result`, which stays the caller's.
    init(copying result: OpaquePointer) {
        let columns = cpostgres_result_columns(result)
        rows = (0..<cpostgres_result_rows(result)).map { row in
            PostgresRow((0..<columns).map { Self.text(result, row, $0) })
        }
    }

    private static func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String? {
        guard let start = cpostgres_result_value(result, row, column) else { return nil }
        let length = Int(cpostgres_result_length(result, row, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    var first: PostgresRow? { rows.first }
}

/// One row, read by column number.
struct PostgresRow: Sendable {
    private let columns: [String?]

    init(_ columns: [String?]) {
        self.columns = columns
    }

    func optionalText(_ column: Int) -> String? { columns.indices.contains(column) ? columns[column] : nil }

    func optionalInteger(_ column: Int) -> Int64? { optionalText(column).flatMap { Int64($0) } }

    func text(_ column: Int) throws(PostgresError) -> String {
        guard let text = optionalText(column) else { throw .unexpected(column: column) }
        return text
    }

    func integer(_ column: Int) throws(PostgresError) -> Int64 {
        guard let number = optionalInteger(column) else { throw .unexpected(column: column) }
        return number
    }
}
