internal import Dispatch
internal import GRDB
internal import Glibc
internal import HubProtocol

/// Writes the whole journal into one file, for a hub that the till can no longer reach by itself
/// (``JournalExport``). What the hub has already it answers as a duplicate, so nothing is left out.
public struct SQLiteJournalExport: Sendable {
    /// Why no file was written.
    public enum Failure: Error, Hashable, Sendable {
        /// The terminal was never enrolled: the hub could not tell whose journal it is.
        case notEnrolled
        /// The file could not be written; the words name the call and the path.
        case file(FileError)
        /// The store on disk failed; `detail` is its own word.
        case unavailable(detail: String)
    }

    /// What a file holds.
    public struct Summary: Hashable, Sendable {
        public let entries: Int
        /// Entries of it without a verdict.
        public let pending: Int64
    }

    private let database: TerminalDatabase
    /// The file is written and synced here, so that nothing of the till waits for it.
    private let queue = DispatchQueue(label: "journal-export", qos: .utility)

    /// Entries read in one go, so that a sale does not wait for a whole journal.
    private static let pageSize = 500

    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Writes the file; it has its name only when it is whole and synced.
    ///
    /// - Parameter exportedAt: RFC 3339, for display.
    public func write(to path: String, exportedAt: String) async throws(Failure) -> Summary {
        let head = try await reading { try JournalHead.read($0) }
        guard let terminalId = head.terminalId, let storeId = head.storeId else { throw .notEnrolled }
        let heading = JournalExport.Heading(
            terminalId: terminalId, storeId: storeId, epoch: head.epoch, exportedAt: exportedAt)
        let partial = path + ".part"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(FileError(path: partial, call: "open", code: errno)) }
        let entries: Int
        do throws(Failure) {
            entries = try await write(heading, through: head, to: descriptor, path: partial)
        } catch {
            close(descriptor)
            unlink(partial)
            throw error
        }
        close(descriptor)
        guard rename(partial, path) == 0 else {
            throw .file(FileError(path: path, call: "rename", code: errno))
        }
        return Summary(entries: entries, pending: head.pending)
    }

    private func write(
        _ heading: JournalExport.Heading, through head: JournalHead, to descriptor: Int32, path: String
    ) async throws(Failure) -> Int {
        try await append(heading.json.canonicalBytes, to: descriptor, path: path)
        var (entries, last): (Int, Int64) = (0, 0)
        while let page = try await page(after: last, through: head.sequence), let end = page.last {
            let lines = page.map(\.body).joined(separator: [0x0A])
            try await append(Array(lines), to: descriptor, path: path)
            entries += page.count
            last = end.sequence
        }
        try await append(
            JournalExport.end(entries: entries, lastHash: head.hash).canonicalBytes, to: descriptor,
            path: path)
        try await onQueue { () throws(FileError) in
            guard fsync(descriptor) == 0 else { throw FileError(path: path, call: "fsync", code: errno) }
        }
        return entries
    }

    private func page(
        after sequence: Int64, through end: Int64
    ) async throws(Failure) -> [(sequence: Int64, body: [UInt8])]? {
        let page = try await reading { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT sequence, body FROM journal WHERE sequence > ? AND sequence <= ?
                    ORDER BY sequence LIMIT ?
                    """, arguments: [sequence, end, Self.pageSize]
            ).map { row in (sequence: row["sequence"] as Int64, body: (row["body"] as Blob).bytes) }
        }
        return page.isEmpty ? nil : page
    }

    private func append(_ line: [UInt8], to descriptor: Int32, path: String) async throws(Failure) {
        try await onQueue { () throws(FileError) in
            try DurableFile.write(line + [0x0A], to: descriptor, path: path)
        }
    }

    private func onQueue(
        _ work: @escaping @Sendable () throws(FileError) -> Void
    ) async throws(Failure) {
        let result: Result<Void, FileError> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(FileError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        do throws(FileError) {
            try result.get()
        } catch {
            throw .file(error)
        }
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreFailure) {
            return try await database.read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
