import Base

internal import CPostgres
internal import Glibc

/// One round trip: everything is sent, a sync behind it, then every response is read.
struct PostgresExchange {
    struct Responses {
        var rows: [PostgresRows] = []
        /// The names that the server has prepared.
        var prepared: Set<String> = []
        /// The first thing that went wrong.
        var failure: PostgresError?
    }

    private enum Sent {
        case preparation(String)
        /// With the columns of its results, where they are known.
        case execution(PostgresColumns?)
    }

    private let handle: OpaquePointer
    private let deadline: ContinuousClock.Instant
    private var sent: [Sent] = []

    init(_ handle: OpaquePointer, until deadline: ContinuousClock.Instant) {
        self.handle = handle
        self.deadline = deadline
    }

    mutating func prepare(_ sql: String, as name: String) throws(PostgresError) {
        guard cpostgres_send_prepare(handle, name, sql, 0, nil) == 1 else { throw broken() }
        sent.append(.preparation(name))
    }

    /// - Parameter columns: what the statement's results have; nil at its first execution.
    mutating func execute(
        _ name: String, _ values: [PostgresValue], columns: PostgresColumns?
    ) throws(PostgresError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.reduce(1) { $0 + $1.byteCount })
        var starts: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            let start = bytes.count
            value.append(to: &bytes)
            starts.append(value == .null ? nil : start)
            lengths.append(Int32(bytes.count - start))
        }
        // An empty value is no NULL: it needs an address too.
        bytes.append(0)
        let formats = [Int32](repeating: 1, count: values.count)
        // libpq copies what it is given; the storage only has to live until it returns.
        let code = bytes.withUnsafeBytes { storage in
            let base = storage.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = starts.map { start in start.flatMap { base?.advanced(by: $0) } }
            return cpostgres_send_execute(handle, name, Int32(values.count), pointers, lengths, formats)
        }
        guard code == 1 else { throw broken() }
        sent.append(.execution(columns))
    }

    /// Sends the sync and reads every response.
    mutating func finish() throws(PostgresError) -> Responses {
        guard cpostgres_send_sync(handle) == 1 else { throw broken() }
        var responses = Responses()
        for sent in sent {
            guard let result = try next() else { throw broken() }
            note(result, of: sent, in: &responses)
            cpostgres_result_clear(result)
            while let surplus = try next() { cpostgres_result_clear(surplus) }
        }
        guard let end = try next() else { throw broken() }
        defer { cpostgres_result_clear(end) }
        guard Int(cpostgres_result_status(end)) == CPG_RESULT_PIPELINE_SYNC else { throw broken() }
        return responses
    }

    private func note(_ result: OpaquePointer, of sent: Sent, in responses: inout Responses) {
        switch Int(cpostgres_result_status(result)) {
        case CPG_RESULT_ROWS, CPG_RESULT_COMMAND, CPG_RESULT_EMPTY:
            switch sent {
            case .preparation(let name): responses.prepared.insert(name)
            case .execution(let columns):
                responses.rows.append(PostgresRows(copying: result, named: columns))
            }
        case CPG_RESULT_PIPELINE_ABORTED:
            break
        case _:
            responses.failure = responses.failure ?? PostgresError(result: result, connection: handle)
        }
    }

    /// The next result, or nil behind the last one of a command.
    private func next() throws(PostgresError) -> OpaquePointer? {
        while true {
            let unsent = cpostgres_flush(handle)
            guard unsent >= 0 else { throw broken() }
            if cpostgres_is_busy(handle) == 0 { return cpostgres_result(handle) }
            try wait(isSending: unsent == 1)
        }
    }

    private func wait(isSending: Bool) throws(PostgresError) {
        let left = ContinuousClock.now.duration(to: deadline)
        let events = Int16(POLLIN) | (isSending ? Int16(POLLOUT) : 0)
        var descriptor = pollfd(fd: cpostgres_socket(handle), events: events, revents: 0)
        let milliseconds =
            left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        let count = left > .zero ? poll(&descriptor, 1, Int32(clamping: milliseconds + 1)) : 0
        if count == 0 { throw .unreachable("the database did not respond in time") }
        guard count > 0 || errno == EINTR else { throw broken() }
        guard descriptor.revents & ~Int16(POLLOUT) == 0 || cpostgres_consume(handle) == 1 else {
            throw broken()
        }
    }

    private func broken() -> PostgresError { .unreachable(PostgresError.message(of: handle)) }
}
