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

    /// A `bytea` in its hexadecimal form, `\x` and two digits a byte; nil for NULL.
    func bytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        guard let text = optionalText(column) else { return nil }
        var digits = text.utf8[...]
        guard digits.popFirst() == UInt8(ascii: "\\"), digits.popFirst() == UInt8(ascii: "x"),
            digits.count.isMultiple(of: 2)
        else { throw .unexpected(column: column) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        while let high = digits.popFirst(), let low = digits.popFirst() {
            bytes.append(Self.value(ofDigit: high) << 4 | Self.value(ofDigit: low))
        }
        return bytes
    }

    /// The server writes `0` to `9` and `a` to `f`, nothing else.
    private static func value(ofDigit digit: UInt8) -> UInt8 {
        digit < UInt8(ascii: "a") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10
    }
}
