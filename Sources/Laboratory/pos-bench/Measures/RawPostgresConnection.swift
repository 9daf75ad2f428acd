internal import CPostgres
internal import Glibc

/// libpq with nothing above it, in its pipeline mode, blocking.
final class RawPostgresConnection {
    private let handle: OpaquePointer

    init(url: String) throws(BenchFailure) {
        guard cpostgres_load() == 0 else { throw .notHere("libpq is not installed") }
        let (key, value) = (strdup("dbname"), strdup(url))
        defer {
            free(key)
            free(value)
        }
        let connected = cpostgres_connect([UnsafePointer(key), nil], [UnsafePointer(value), nil])
        guard let connected, Int(cpostgres_status(connected)) == CPG_CONNECTION_OK,
            cpostgres_enter_pipeline(connected) == 1
        else { throw .notHere("the database of HOLDFAST_POSTGRESQL cannot be reached") }
        handle = connected
    }

    deinit { cpostgres_finish(handle) }

    func prepare(_ sql: String, as name: String) throws(BenchFailure) {
        _ = cpostgres_send_prepare(handle, name, sql, 0, nil)
        _ = cpostgres_send_sync(handle)
        _ = try responses(to: 1)
    }

    /// Queries one thing; the rows as text.
    @discardableResult
    func query(_ sql: String) throws(BenchFailure) -> [[String?]] {
        try prepare(sql, as: "")
        _ = cpostgres_send_execute(handle, "", 0, nil, nil, nil)
        _ = cpostgres_send_sync(handle)
        return try responses(to: 1)
    }

    /// Sends prepared statements in one go and waits for all responses.
    func execute(_ statements: [(name: String, values: [[UInt8]])]) throws(BenchFailure) {
        for (name, values) in statements {
            let lengths = values.map { Int32($0.count) }
            let formats = [Int32](repeating: 1, count: values.count)
            withPointers(to: values[...], []) { pointers in
                _ = cpostgres_send_execute(handle, name, Int32(values.count), pointers, lengths, formats)
            }
        }
        _ = cpostgres_send_sync(handle)
        _ = try responses(to: statements.count)
    }

    /// Reads up to the sync behind `count` commands; the rows of the last one.
    private func responses(to count: Int) throws(BenchFailure) -> [[String?]] {
        var rows: [[String?]] = []
        var failure: BenchFailure?
        for _ in 0..<count {
            while let result = cpostgres_result(handle) {
                switch Int(cpostgres_result_status(result)) {
                case CPG_RESULT_ROWS: rows = Self.rows(of: result)
                case CPG_RESULT_COMMAND, CPG_RESULT_EMPTY: break
                default: failure = failure ?? self.failure()
                }
                cpostgres_result_clear(result)
            }
        }
        guard let end = cpostgres_result(handle) else { throw self.failure() }
        cpostgres_result_clear(end)
        if let failure { throw failure }
        return rows
    }

    private static func rows(of result: OpaquePointer) -> [[String?]] {
        (0..<cpostgres_result_rows(result)).map { row in
            (0..<cpostgres_result_columns(result)).map { column in
                cpostgres_result_value(result, row, column).map { String(cString: $0) }
            }
        }
    }

    private func withPointers(
        to values: ArraySlice<[UInt8]>, _ pointers: [UnsafePointer<CChar>?],
        _ body: ([UnsafePointer<CChar>?]) -> Void
    ) {
        guard let first = values.first else { return body(pointers) }
        first.withUnsafeBytes { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            withPointers(to: values.dropFirst(), pointers + [pointer], body)
        }
    }

    private func failure() -> BenchFailure {
        .programFailed(
            name: "PostgreSQL", detail: "a raw statement failed",
            lastErrors: cpostgres_error(handle).map { String(cString: $0) } ?? "-")
    }
}
