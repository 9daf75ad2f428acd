internal import GRDB
internal import HubProtocol
package import OfflineMode

/// The attachments of this terminal: their data in its database, their bytes in its data folder.
package struct SQLiteAttachments: AttachmentStorage {
    /// An attachment as people see it.
    package struct Entry: Hashable, Sendable {
        /// Identity, digest, size and type, as the mutation names them.
        package let attachment: Attachment
        /// Why the last upload step failed; nil when it did not.
        package let problem: String?
    }

    /// Where the bytes are.
    package let folder: AttachmentFolder
    private let database: TerminalDatabase
    private let now: @Sendable () -> Int64

    /// - Parameter now: Unix milliseconds of the wall clock.
    package init(_ database: TerminalDatabase, folder: AttachmentFolder, now: @escaping @Sendable () -> Int64)
    {
        self.database = database
        self.folder = folder
        self.now = now
    }

    /// A new identifier, greater than every other that was minted here.
    package func mintId() async throws(OutboxStorageError) -> String {
        let now = now()
        return try await database.writeOutbox { connection in
            var journal = try JournalWriter(connection, database.clocks())
            let id = journal.mintId(at: now)
            try journal.finish()
            return id
        }
    }

    /// Reads the database alone; whether the bytes are still there is found by the first read.
    package func unfinished() async throws(OutboxStorageError) -> [Attachment] {
        try await unfinishedEntries().map(\.attachment)
    }

    /// Those that the hub does not have completely, oldest first.
    package func unfinishedEntries() async throws(OutboxStorageError) -> [Entry] {
        try await database.readOutbox { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT id, sha256, size, content_type, name, urgent, problem FROM attachments
                    WHERE whole_at IS NULL ORDER BY made_at, id
                    """
            ).map { row in
                Entry(
                    attachment: Attachment(
                        id: row["id"], sha256: row["sha256"], size: row["size"],
                        contentType: row["content_type"], name: row["name"], isUrgent: row["urgent"]),
                    problem: row["problem"])
            }
        }
    }

    /// The unfinished attachments of each mutation without a final result.
    package func waits() async throws(OutboxStorageError) -> [String: [String]] {
        try await database.readOutbox { connection in
            let rows = try Row.fetchAll(
                connection,
                sql: """
                    SELECT mutation_id, attachment_id FROM mutation_attachments
                    JOIN attachments ON attachments.id = attachment_id
                    JOIN journal ON journal.id = mutation_id
                    WHERE whole_at IS NULL AND verdict IS NULL ORDER BY attachment_id
                    """)
            return Dictionary(rows.map { ($0[0] as String, [$0[1] as String]) }, uniquingKeysWith: +)
        }
    }

    /// Fails also where the file is shorter than its entry; the digest is not checked here.
    package func read(
        _ attachment: Attachment, from position: Int64, count: Int64
    ) async throws(AttachmentFault) -> [UInt8] {
        let file = folder.file(of: attachment.id)
        guard let bytes = await folder.read(attachment.id, from: position, count: Int(count)) else {
            throw AttachmentFault(
                "\(file) cannot be read; put it back from a backup, or correct its permissions")
        }
        guard bytes.count == Int(count) else {
            throw AttachmentFault("\(file) is shorter than it was; put it back from a backup")
        }
        return bytes
    }

    /// Writes the wall clock's time and removes the problem, in one transaction without a sync of its own:
    /// the hub says again that it has all bytes.
    package func finish(_ id: String) async throws(OutboxStorageError) {
        let now = now()
        try await database.writeOutbox(isSynced: false) { connection in
            try connection.execute(
                sql: "UPDATE attachments SET whole_at = ?, problem = NULL WHERE id = ?", arguments: [now, id])
        }
    }

    /// Replaces the problem of before; the next ``finish(_:)`` removes it.
    package func note(problem: String, of id: String) async throws(OutboxStorageError) {
        try await database.writeOutbox(isSynced: false) { connection in
            try connection.execute(
                sql: "UPDATE attachments SET problem = ? WHERE id = ?", arguments: [problem, id])
        }
    }

    /// Removes what is no longer needed: bytes that no entry names, and those of mutations that the hub
    /// accepted more than `retention` milliseconds ago. Younger ones stay, since a hub that was restored
    /// requests them again.
    package func tidy(retention: Int64) async throws(OutboxStorageError) {
        let limit = now() - retention
        let kept = try await database.writeOutbox { connection in
            try connection.execute(
                sql: """
                    DELETE FROM attachments WHERE whole_at < ? AND NOT EXISTS (
                        SELECT 1 FROM mutation_attachments JOIN journal ON journal.id = mutation_id
                        WHERE attachment_id = attachments.id
                            AND (verdict IS NULL OR verdict IN ('rejected', 'conflicted')))
                    """, arguments: [limit])
            try connection.execute(
                sql:
                    "DELETE FROM mutation_attachments WHERE attachment_id NOT IN (SELECT id FROM attachments)"
            )
            return try Set(String.fetchAll(connection, sql: "SELECT id FROM attachments"))
        }
        await folder.sweep(keeping: kept)
    }
}

extension Database {
    /// Records attachments with the mutation that names them, in its transaction.
    func keep(_ attachments: [Attachment], at madeAt: Int64) throws {
        for attachment in attachments {
            try execute(
                sql: """
                    INSERT INTO attachments (id, sha256, size, content_type, name, urgent, made_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    attachment.id, attachment.sha256, attachment.size, attachment.contentType,
                    attachment.name, attachment.isUrgent, madeAt,
                ])
        }
    }
}
