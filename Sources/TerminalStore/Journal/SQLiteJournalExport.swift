internal import Dispatch
internal import Foundation
internal import GRDB
internal import Glibc
internal import HubProtocol
internal import OfflineMode

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
        /// Attachments that are in it.
        public let attachments: Int
        /// Ids of attachments whose bytes cannot be read: the mutations that name them wait at the hub.
        public let lostAttachments: [String]
    }

    private let database: TerminalDatabase
    private let attachments: SQLiteAttachments
    /// The file is written and synced here, so that nothing of the till waits for it.
    private let queue = DispatchQueue(label: "journal-export", qos: .utility)

    /// Entries read in one go, so that a sale does not wait for a whole journal.
    private static let pageSize = 500

    /// - Parameter attachments: the folder with their bytes, of the home that the database is of.
    public init(_ database: TerminalDatabase, attachments folder: AttachmentFolder) {
        self.database = database
        attachments = SQLiteAttachments(database, folder: folder, now: { 0 })
    }

    /// Writes the file; it has its name only when it is whole and synced.
    ///
    /// - Parameter exportedAt: RFC 3339, for display.
    public func write(to path: String, exportedAt: String) async throws(Failure) -> Summary {
        let head = try await reading { try JournalHead.read($0) }
        guard let terminalId = head.terminalId, let storeId = head.storeId else { throw .notEnrolled }
        let carried = try await known()
        let heading = JournalExport.Heading(
            terminalId: terminalId, storeId: storeId, epoch: head.epoch, exportedAt: exportedAt,
            hasAttachments: !carried.isEmpty)
        let partial = path + ".part"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(FileError(path: partial, call: "open", code: errno)) }
        let (entries, written): (Int, WrittenPieces)
        do throws(Failure) {
            try await append(heading.json.canonicalBytes, to: descriptor, path: partial)
            written = try await write(carried, to: descriptor, path: partial)
            entries = try await write(through: head, behind: written, to: descriptor, path: partial)
        } catch {
            close(descriptor)
            unlink(partial)
            throw error
        }
        close(descriptor)
        guard rename(partial, path) == 0 else {
            throw .file(FileError(path: path, call: "rename", code: errno))
        }
        return Summary(
            entries: entries, pending: head.pending, attachments: carried.count - written.lost.count,
            lostAttachments: written.lost)
    }

    private func known() async throws(Failure) -> [Attachment] {
        do throws(OutboxStorageError) {
            return try await attachments.all().map(\.attachment)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// What a file holds of attachments.
    private struct WrittenPieces {
        var count = 0
        /// Those whose bytes cannot be read.
        var lost: [String] = []
    }

    private func write(
        _ carried: [Attachment], to descriptor: Int32, path: String
    ) async throws(Failure) -> WrittenPieces {
        var written = WrittenPieces()
        for attachment in carried {
            var position: Int64 = 0
            while position < attachment.size {
                let count = min(UploadGrant.chunkSize, attachment.size - position)
                let bytes = try? await attachments.read(attachment, from: position, count: count)
                guard let bytes else { break }
                let piece = JournalExport.Piece(
                    attachment: AttachmentInfo(attachment), firstByte: position,
                    base64: Data(bytes).base64EncodedString())
                try await append(piece.json.canonicalBytes, to: descriptor, path: path)
                position += count
                written.count += 1
            }
            if position < attachment.size { written.lost.append(attachment.id) }
        }
        return written
    }

    private func write(
        through head: JournalHead, behind pieces: WrittenPieces, to descriptor: Int32, path: String
    ) async throws(Failure) -> Int {
        var (entries, last): (Int, Int64) = (0, 0)
        while let page = try await page(after: last, through: head.sequence), let end = page.last {
            let lines = page.map(\.body).joined(separator: [0x0A])
            try await append(Array(lines), to: descriptor, path: path)
            entries += page.count
            last = end.sequence
        }
        try await append(
            JournalExport.end(entries: entries, lastHash: head.hash, pieces: pieces.count).canonicalBytes,
            to: descriptor, path: path)
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

extension AttachmentInfo {
    /// What the hub is told of an attachment.
    init(_ attachment: Attachment) {
        self.init(
            id: attachment.id, sha256: attachment.sha256, size: attachment.size,
            contentType: attachment.contentType, isUrgent: attachment.isUrgent)
    }
}
