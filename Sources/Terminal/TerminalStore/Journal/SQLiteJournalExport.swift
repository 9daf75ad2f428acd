internal import Crypto
internal import Dispatch
internal import Foundation
internal import GRDB
package import HubProtocol

/// Writes the complete journal into one file, for a hub that the terminal can no longer reach over the
/// network (``JournalExport``). The hub treats entries that it has already as duplicates, so nothing is left
/// out.
///
/// The file is encrypted to the hub's sealing key and signed by the device key: who finds it reads nothing,
/// and who changes it is noticed.
package struct SQLiteJournalExport: Sendable {
    /// Why no file was written.
    package enum Failure: Error, Hashable, Sendable {
        /// The terminal was never enrolled: the hub could not assign the journal to a terminal.
        case notEnrolled
        /// The hub named no key to seal to, or one that cannot be used; only a plain file is possible.
        case noSealingKey
        /// The file could not be written; the text names the call and the path.
        case file(FileError)
        /// The store on disk failed; `detail` is its own text.
        case unavailable(detail: String)
    }

    /// The content of a file.
    package struct Summary: Hashable, Sendable {
        /// Journal entries in the file, with and without a result.
        package let entries: Int
        /// How many of them have no final result.
        package let pending: Int64
        package let attachments: Int
        /// Ids of attachments whose bytes cannot be read: the hub defers the mutations that name them.
        package let lostAttachments: [String]
        /// The hub's key that it is sealed to; nil for a plain file.
        package let sealedTo: String?
        /// Whether the device key signed it; false where the key is gone.
        package let isSigned: Bool
        /// What could not be read, as ``SalvageReport/json(at:)``; nil for an undamaged database.
        package let salvage: JSONValue?
    }

    /// How a file is written.
    package struct Order: Sendable {
        /// RFC 3339, for display.
        package let exportedAt: String
        /// Why it is not encrypted; nil: it is.
        package let plainReason: String?
        /// The device's public key in base64; nil where the device key is gone.
        package let publicKey: String?
        /// Gives the device key's signature of the bytes in base64; nil where the key is gone.
        package let sign: @Sendable ([UInt8]) -> String?

        /// Makes an order. Nil as `plainReason` encrypts the file to the hub's sealing key.
        package init(
            exportedAt: String, plainReason: String?, publicKey: String?,
            sign: @escaping @Sendable ([UInt8]) -> String?
        ) {
            self.exportedAt = exportedAt
            self.plainReason = plainReason
            self.publicKey = publicKey
            self.sign = sign
        }
    }

    /// Where the journal is read.
    private enum Source: Sendable {
        /// An agent's, between its own accesses.
        case live(TerminalDatabase)
        case file(DatabaseQueue)
    }

    private let source: Source
    private let folder: AttachmentFolder
    /// Whether all that can be read of a damaged database is written, gaps included.
    private let isSalvage: Bool
    /// The file is written and synced on this queue, so that nothing else of the terminal waits for it.
    private let queue = DispatchQueue(label: "journal-export", qos: .utility)

    /// Entries per transaction, so that a sale does not wait for the complete journal. Half doubles the
    /// transactions; double makes a sale wait twice as long.
    private static let pageSize = 500

    /// - Parameter attachments: the folder with their bytes, in the data folder of the database.
    package init(_ database: TerminalDatabase, attachments folder: AttachmentFolder) {
        source = .live(database)
        self.folder = folder
        isSalvage = false
    }

    /// Writes all that can be read of the database in `home`, which is damaged and not open anywhere.
    package init(salvaging home: String) throws(Failure) {
        let unfinished = DatabaseRepair.isUnfinished(home: home)
        let path = home + "/terminal.sqlite" + (unfinished ? ".repaired" : "")
        guard DurableFile.exists(path) || DurableFile.exists(path + "-wal") else {
            throw .unavailable(detail: TerminalDatabaseError.missing(path: path).description)
        }
        folder = AttachmentFolder(home: home)
        isSalvage = true
        do {
            let now = TerminalDatabase.systemMilliseconds()
            source = .file(try SalvagedJournal(path: path).inMemory(at: now))
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// Writes all that can be read of an agent's database, which is damaged.
    package init(
        salvaging database: TerminalDatabase, attachments folder: AttachmentFolder
    ) throws(Failure) {
        self.folder = folder
        isSalvage = true
        do {
            source = .file(try database.salvaged())
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// - Parameter attachments: the folder with their bytes, in the data folder of the journal.
    package init(_ journal: ReadOnlyJournal, attachments folder: AttachmentFolder) {
        source = .file(journal.queue)
        self.folder = folder
        isSalvage = false
    }

    /// Writes the file; it gets its name only when it is complete and synced.
    package func write(to path: String, _ order: Order) async throws(Failure) -> Summary {
        let head = try await reading { try JournalHead.read($0) }
        guard let terminalId = head.terminalId, let storeId = head.storeId else { throw .notEnrolled }
        let key = order.plainReason == nil ? try await sealingKey() : nil
        let hasGaps = try await journalHasGaps()
        let heading = JournalExport.Heading(
            terminalId: terminalId, storeId: storeId, epoch: head.epoch, exportedAt: order.exportedAt,
            version: isSalvage || hasGaps ? JournalExport.salvagedVersion : JournalExport.version,
            terminalNumber: head.terminalNumber, publicKey: order.publicKey, plainReason: order.plainReason)
        let target: ExportTarget
        do throws(FileError) {
            target = try ExportTarget(path)
        } catch {
            throw .file(error)
        }
        do throws(Failure) {
            var lines = try ExportLines(heading, sealedTo: key, to: target.descriptor, path: path)
            try await append(&lines, heading.json.canonicalBytes, isHeading: true)
            let written = try await writeAttachments(into: &lines)
            let entries = try await writeEntries(through: head, into: &lines)
            let end = JournalExport.end(
                of: heading, entries: entries, lastHash: head.hash, pieces: written.pieces,
                digest: lines.digest, sign: order.sign)
            try await append(&lines, end.canonicalBytes)
            try await onQueue { () throws(FileError) in try target.finish() }
            return Summary(
                entries: entries, pending: head.pending, attachments: written.whole,
                lostAttachments: written.lost, sealedTo: key?.id, isSigned: end["signature"] != nil,
                salvage: isSalvage ? try await salvageReport() : nil)
        } catch {
            target.abandon()
            throw error
        }
    }

    /// Whether entries are missing between others, which a repair could not read.
    private func journalHasGaps() async throws(Failure) -> Bool {
        try await reading { connection in
            try Bool.fetchOne(
                connection, sql: "SELECT count(*) <> max(sequence) - min(sequence) + 1 FROM journal") ?? false
        }
    }

    private func salvageReport() async throws(Failure) -> JSONValue? {
        let text = try await reading { connection in
            try String.fetchOne(
                connection, sql: "SELECT value FROM facts WHERE name = ?",
                arguments: [DatabaseRepair.factName])
        }
        return text.flatMap { try? JSONParser.parse($0.utf8) }
    }

    /// The hub's key to use now, as the terminal pinned it.
    private func sealingKey() async throws(Failure) -> HubPublicKey {
        let text = try await reading { connection in
            try String.fetchOne(
                connection, sql: "SELECT value FROM facts WHERE name = ?",
                arguments: [SQLiteTerminalFacts.hubKeysName])
        }
        guard let text, let json = try? JSONParser.parse(text.utf8),
            let key = try? HubKeyList(json: json).sealing.first
        else { throw .noSealingKey }
        return key
    }

    /// The attachments in a file.
    private struct WrittenAttachments {
        var pieces = 0
        var whole = 0
        /// The attachments whose bytes cannot be read.
        var lost: [String] = []
    }

    private func writeAttachments(into lines: inout ExportLines) async throws(Failure) -> WrittenAttachments {
        var written = WrittenAttachments()
        for attachment in try await attachments() {
            var position: Int64 = 0
            while position < attachment.size {
                let count = min(UploadGrant.chunkSize, attachment.size - position)
                let bytes = await folder.read(attachment.id, from: position, count: Int(count))
                guard let bytes, bytes.count == Int(count) else { break }
                let piece = JournalExport.Piece(
                    attachment: attachment, firstByte: position, base64: Data(bytes).base64EncodedString())
                try await append(&lines, piece.json.canonicalBytes)
                position += count
                written.pieces += 1
            }
            if position < attachment.size { written.lost.append(attachment.id) } else { written.whole += 1 }
        }
        return written
    }

    /// Every attachment, oldest first.
    private func attachments() async throws(Failure) -> [AttachmentInfo] {
        try await reading { connection in
            try Row.fetchAll(
                connection,
                sql: "SELECT id, sha256, size, content_type, urgent FROM attachments ORDER BY made_at, id"
            ).map { row in
                AttachmentInfo(
                    id: row["id"], sha256: row["sha256"], size: row["size"],
                    contentType: row["content_type"], isUrgent: (row["urgent"] as Int64) != 0)
            }
        }
    }

    private func writeEntries(
        through head: JournalHead, into lines: inout ExportLines
    ) async throws(Failure) -> Int {
        var (entries, last): (Int, Int64) = (0, 0)
        while let page = try await page(after: last, through: head.sequence), let end = page.last {
            for entry in page { try await append(&lines, entry.body) }
            entries += page.count
            last = end.sequence
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

    private func append(
        _ lines: inout ExportLines, _ line: [UInt8], isHeading: Bool = false
    ) async throws(Failure) {
        let (bytes, descriptor, path) = (
            lines.added(line, isHeading: isHeading), lines.descriptor, lines.path
        )
        try await onQueue { () throws(FileError) in
            try DurableFile.write(bytes, to: descriptor, path: path)
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
        do {
            switch source {
            case .live(let database): return try await database.read(body)
            case .file(let queue): return try await queue.read(body)
            }
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}

/// The lines of a file on their way to the disk: counted into the digest in clear, then encrypted.
private struct ExportLines {
    let descriptor: Int32
    let path: String
    private var running = RunningDigest()
    private var cipher: ExportCipher?
    private var envelope: ExportEnvelope?

    /// - Parameter hubKey: nil for a plain file.
    init(
        _ heading: JournalExport.Heading, sealedTo hubKey: HubPublicKey?, to descriptor: Int32, path: String
    ) throws(SQLiteJournalExport.Failure) {
        self.descriptor = descriptor
        self.path = path
        guard let hubKey else { return }
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        do {
            guard let raw = Data(base64Encoded: hubKey.publicKey) else {
                throw SQLiteJournalExport.Failure.noSealingKey
            }
            var sender = try HPKE.Sender(
                recipientKey: Curve25519.KeyAgreement.PublicKey(rawRepresentation: raw),
                ciphersuite: .Curve25519_SHA256_ChachaPoly,
                info: Data(ExportEnvelope.info(of: heading.json)))
            envelope = ExportEnvelope(
                keyId: hubKey.id, fingerprint: Digest.sha256Hex(Array(raw)),
                encapsulatedKey: sender.encapsulatedKey.base64EncodedString(),
                sealedKey: try sender.seal(Data(key)).base64EncodedString())
        } catch {
            throw .noSealingKey
        }
        cipher = ExportCipher(key: key)
    }

    /// Of all lines so far, in hex.
    var digest: String { running.hex }

    /// A line as it goes to the disk.
    mutating func added(_ line: [UInt8], isHeading: Bool) -> [UInt8] {
        running.add(line + [0x0A])
        if isHeading {
            guard let envelope, var members = (try? JSONParser.parse(line))?.object else {
                return line + [0x0A]
            }
            members["sealed"] = envelope.json
            return JSONValue.object(members).canonicalBytes + [0x0A]
        }
        guard let sealed = cipher?.sealed(line) else { return line + [0x0A] }
        return Array(Data(sealed).base64EncodedData()) + [0x0A]
    }
}
