package import HubCore
package import HubProtocol

/// Two hubs that get the same bytes at once are ordered by the attachment's row.
extension Ledger {
    /// Announces an attachment of a terminal, or finds it again. A new one counts towards the terminal's
    /// quotas of the day with its announced size. One transaction; when two hubs announce one id at once, the
    /// first content stays. A known attachment writes nothing.
    package func openAttachment(
        _ info: AttachmentInfo, of terminalId: String, at now: Int64,
        within limits: IntakeLimits = IntakeLimits()
    ) async throws(LedgerError) -> AttachmentOpening {
        try await write { session in
            if let known = try session.attachment(info.id, of: terminalId) {
                return .undo(known.info.hasContent(of: info) ? .open(known) : .differs)
            }
            guard try session.unfinishedUploads(of: terminalId, at: now) < UnfinishedUploads.maximum else {
                return .keep(.tooMany)
            }
            let more = TerminalUsage(bytes: info.size, attachments: 1)
            guard try session.count(more, of: terminalId, at: now, within: limits) else {
                return .keep(.pastQuota)
            }
            try session.run(
                "INSERT INTO attachments (terminal_id, id, sha256, size, content_type, urgent, received, "
                    + "opened_at) VALUES ($1, $2, $3, $4, $5, $6, 0, $7) "
                    + "ON CONFLICT (terminal_id, id) DO NOTHING",
                [terminalId, info.id, info.sha256, info.size, info.contentType, info.isUrgent, now])
            guard let kept = try session.attachment(info.id, of: terminalId) else {
                throw UnexpectedColumn("id")
            }
            return .keep(kept.info.hasContent(of: info) ? .open(kept) : .differs)
        }
    }

    /// Nil for one that this terminal never announced. A read by primary key, without the bytes; it waits for
    /// no writer.
    package func attachment(
        _ id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await read { session in try session.attachment(id, of: terminalId) }
    }

    /// Of one terminal or of all, in the order in which they were announced. A read without the bytes; nil in
    /// `terminal` means all terminals.
    package func attachments(terminal: String?) async throws(LedgerError) -> [StoredAttachment] {
        try await read { session in
            try session.rows(
                "SELECT \(StoredAttachment.columns) FROM attachments "
                    + "WHERE CAST($1 AS TEXT) IS NULL OR terminal_id = $1 ORDER BY opened_at, terminal_id, id",
                [terminal]
            ).map(StoredAttachment.init(row:))
        }
    }

    /// Keeps the next bytes of an attachment, if they begin where its last ones ended and it is not complete.
    /// Inserts one row of bytes and moves `received` in the same transaction, behind the attachment's row; a
    /// chunk out of order changes nothing.
    ///
    /// - Returns: its status then; nil for one that was never announced.
    package func appendChunk(
        _ bytes: [UInt8], at firstByte: Int64, to id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await write { session in
            guard let known = try session.attachment(id, of: terminalId, isLocked: true) else {
                return .undo(nil)
            }
            guard known.takes(bytes.count, at: firstByte) else { return .undo(known) }
            return .keep(
                try session.run([
                    StoreQuery(
                        "INSERT INTO attachment_pieces (terminal_id, attachment_id, first_byte, bytes) "
                            + "VALUES ($1, $2, $3, $4)", of: [terminalId, id, firstByte, bytes]),
                    StoreQuery(
                        "UPDATE attachments SET received = received + $3 WHERE terminal_id = $1 AND id = $2 "
                            + "RETURNING \(StoredAttachment.columns)", of: [terminalId, id, bytes.count]),
                ]).first.map(StoredAttachment.init(row:)))
        }
    }

    /// The chunk that begins at a byte; nil when none does. One row by the first byte of an earlier
    /// ``appendChunk(_:at:to:of:)``; another byte within it finds nothing.
    package func attachmentPiece(
        _ id: String, of terminalId: String, at firstByte: Int64
    ) async throws(LedgerError) -> [UInt8]? {
        try await read { session in
            try session.first(
                "SELECT bytes FROM attachment_pieces "
                    + "WHERE terminal_id = $1 AND attachment_id = $2 AND first_byte = $3",
                [terminalId, id, firstByte])?[0]
        }
    }

    /// Marks an attachment with all its bytes as complete, or deletes the bytes when their digest is wrong.
    /// Changes only an attachment with all its bytes; a wrong digest deletes them and sets `received` to 0.
    ///
    /// - Returns: its status then; nil for one that was never announced.
    package func settleAttachment(
        _ id: String, of terminalId: String, isRight: Bool, at now: Int64
    ) async throws(LedgerError) -> StoredAttachment? {
        try await write { session in
            guard let known = try session.attachment(id, of: terminalId, isLocked: true) else {
                return .undo(nil)
            }
            guard !known.isComplete, known.received == known.info.size else { return .undo(known) }
            if isRight {
                try session.run(
                    "UPDATE attachments SET whole_at = $3 WHERE terminal_id = $1 AND id = $2",
                    [terminalId, id, now])
            } else {
                try session.run([
                    StoreQuery(
                        "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id = $2",
                        of: [terminalId, id]),
                    StoreQuery(
                        "UPDATE attachments SET received = 0 WHERE terminal_id = $1 AND id = $2",
                        of: [terminalId, id]),
                ])
            }
            return .keep(try session.attachment(id, of: terminalId))
        }
    }
}

extension StoreSession {
    fileprivate func attachment(
        _ id: String, of terminalId: String, isLocked: Bool = false
    ) throws -> StoredAttachment? {
        try first(
            "SELECT \(StoredAttachment.columns) FROM attachments WHERE terminal_id = $1 AND id = $2"
                + (isLocked ? dialect.forUpdate : ""), [terminalId, id]
        ).map(StoredAttachment.init(row:))
    }

    /// How many are not whole, once those that nobody went on with are forgotten.
    fileprivate func unfinishedUploads(of terminalId: String, at now: Int64) throws -> Int64 {
        let old: [any StoreConvertible] = [terminalId, now - UnfinishedUploads.lifetimeMilliseconds]
        let count = try run([
            StoreQuery(
                "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id IN (SELECT id "
                    + "FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL AND opened_at < $2)",
                of: old),
            StoreQuery(
                "DELETE FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL AND opened_at < $2",
                of: old),
            StoreQuery(
                "SELECT COUNT(*) FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL",
                of: [terminalId]),
        ]).first
        return try count?[0] ?? 0
    }
}

extension StoredAttachment {
    fileprivate static let columns =
        "terminal_id, id, sha256, size, content_type, urgent, received, opened_at, whole_at"

    fileprivate init(row: StoreRow) throws {
        try self.init(
            terminalId: row[0],
            info: AttachmentInfo(
                id: row[1], sha256: row[2], size: row[3], contentType: row[4], isUrgent: row[5]),
            received: row[6], openedAt: row[7], completedAt: row[8])
    }
}
