internal import Foundation
internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Looks up, counts and inserts in one write transaction; a known attachment writes nothing.
    package func openAttachment(
        _ info: AttachmentInfo, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> AttachmentOpening {
        try await writer.write { db in
            if let known = try db.attachment(info.id, of: terminalId) {
                return .undo(known.info.hasContent(of: info) ? .open(known) : .differs)
            }
            try db.forgetUploads(of: terminalId, before: now - UnfinishedUploads.lifetimeMilliseconds)
            let unfinished: Int64? = try db.first(
                "SELECT COUNT(*) FROM attachments WHERE terminal_id = ? AND whole_at IS NULL", [terminalId])?[
                    0]
            guard unfinished ?? 0 < UnfinishedUploads.maximum else { return .keep(.tooMany) }
            let more = TerminalUsage(bytes: info.size, attachments: 1)
            guard try db.count(more, of: terminalId, at: now, within: limits) else {
                return .keep(.pastQuota)
            }
            try db.run(
                "INSERT INTO attachments (terminal_id, id, sha256, size, content_type, urgent, received, "
                    + "opened_at) VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
                [terminalId, info.id, info.sha256, info.size, info.contentType, info.isUrgent, now])
            return .keep(
                .open(
                    StoredAttachment(
                        terminalId: terminalId, info: info, received: 0, openedAt: now, completedAt: nil)))
        }
    }

    /// A read by primary key, without the bytes; it waits for no writer.
    package func attachment(
        _ id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await file.read { db in try db.attachment(id, of: terminalId) }
    }

    /// A read without the bytes; nil in `terminal` means all terminals.
    package func attachments(terminal: String?) async throws(LedgerError) -> [StoredAttachment] {
        try await file.read { db in
            try db.all(
                "SELECT \(Database.attachmentColumns) FROM attachments WHERE ?1 IS NULL OR terminal_id = ?1 "
                    + "ORDER BY opened_at, terminal_id, id", [terminal]
            ).map(StoredAttachment.init(from:))
        }
    }

    /// Inserts one row of bytes and moves `received` in the same transaction; a chunk out of order changes
    /// nothing.
    package func appendChunk(
        _ bytes: [UInt8], at firstByte: Int64, to id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await writer.write { db in
            guard let known = try db.attachment(id, of: terminalId) else { return .undo(nil) }
            guard known.takes(bytes.count, at: firstByte) else { return .undo(known) }
            try db.run(
                "INSERT INTO attachment_pieces (terminal_id, attachment_id, first_byte, bytes) "
                    + "VALUES (?, ?, ?, ?)",
                [terminalId, id, firstByte, Data(bytes)])
            try db.run(
                "UPDATE attachments SET received = received + ? WHERE terminal_id = ? AND id = ?",
                [bytes.count, terminalId, id])
            return .keep(try db.attachment(id, of: terminalId))
        }
    }

    /// One row by the first byte of an earlier ``appendChunk(_:at:to:of:)``; another byte within it finds
    /// nothing.
    package func attachmentPiece(
        _ id: String, of terminalId: String, at firstByte: Int64
    ) async throws(LedgerError) -> [UInt8]? {
        try await file.read { db in
            let data: Data? = try db.first(
                "SELECT bytes FROM attachment_pieces "
                    + "WHERE terminal_id = ? AND attachment_id = ? AND first_byte = ?",
                [terminalId, id, firstByte])?[0]
            return data.map(Array.init)
        }
    }

    /// Changes only an attachment with all its bytes; a wrong digest deletes them and sets `received` to 0.
    package func settleAttachment(
        _ id: String, of terminalId: String, isRight: Bool, at now: Int64
    ) async throws(LedgerError) -> StoredAttachment? {
        try await writer.write { db in
            guard let known = try db.attachment(id, of: terminalId) else { return .undo(nil) }
            guard !known.isComplete, known.received == known.info.size else { return .undo(known) }
            if isRight {
                try db.run(
                    "UPDATE attachments SET whole_at = ? WHERE terminal_id = ? AND id = ?",
                    [now, terminalId, id])
            } else {
                try db.run(
                    "DELETE FROM attachment_pieces WHERE terminal_id = ? AND attachment_id = ?",
                    [terminalId, id])
                try db.run(
                    "UPDATE attachments SET received = 0 WHERE terminal_id = ? AND id = ?", [terminalId, id])
            }
            return .keep(try db.attachment(id, of: terminalId))
        }
    }
}

extension Database {
    fileprivate static let attachmentColumns =
        "terminal_id, id, sha256, size, content_type, urgent, received, opened_at, whole_at"

    fileprivate func attachment(_ id: String, of terminalId: String) throws -> StoredAttachment? {
        try first(
            "SELECT \(Self.attachmentColumns) FROM attachments WHERE terminal_id = ? AND id = ?",
            [terminalId, id]
        )
        .map(StoredAttachment.init(from:))
    }

    fileprivate func forgetUploads(of terminalId: String, before moment: Int64) throws {
        try run(
            "DELETE FROM attachment_pieces WHERE terminal_id = ?1 AND attachment_id IN (SELECT id "
                + "FROM attachments WHERE terminal_id = ?1 AND whole_at IS NULL AND opened_at < ?2)",
            [terminalId, moment])
        try run(
            "DELETE FROM attachments WHERE terminal_id = ? AND whole_at IS NULL AND opened_at < ?",
            [terminalId, moment])
    }
}

extension StoredAttachment {
    fileprivate init(from row: Row) {
        self.init(
            terminalId: row["terminal_id"],
            info: AttachmentInfo(
                id: row["id"], sha256: row["sha256"], size: row["size"], contentType: row["content_type"],
                isUrgent: row["urgent"]),
            received: row["received"], openedAt: row["opened_at"], completedAt: row["whole_at"])
    }
}
