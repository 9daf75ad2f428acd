package import HubCore
package import HubProtocol
package import HubStore

/// Two hubs that get the same bytes at once are ordered by the attachment's row.
extension PostgresLedger {
    private static let columns =
        "terminal_id, id, sha256, size, content_type, urgent, received, opened_at, whole_at"

    /// One transaction; when two hubs announce one id at once, the first content stays.
    package func openAttachment(
        _ info: AttachmentInfo, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> AttachmentOpening {
        try await database.write { connection throws(PostgresError) in
            if let known = try Self.attachment(info.id, of: terminalId, on: connection) {
                return .undo(known.info.hasContent(of: info) ? .open(known) : .differs)
            }
            let unfinished = try Self.unfinished(of: terminalId, at: now, on: connection)
            guard unfinished < UnfinishedUploads.maximum else { return .keep(.tooMany) }
            let more = TerminalUsage(bytes: info.size, attachments: 1)
            guard
                try PostgresUsage.count(more, of: terminalId, at: now, within: limits, on: connection)
            else { return .keep(.pastQuota) }
            try connection.query(
                "INSERT INTO attachments (terminal_id, id, sha256, size, content_type, urgent, received, "
                    + "opened_at) VALUES ($1, $2, $3, $4, $5, $6, 0, $7) "
                    + "ON CONFLICT (terminal_id, id) DO NOTHING",
                [
                    .text(terminalId), .text(info.id), .text(info.sha256), .integer(info.size),
                    .text(info.contentType), .integer(info.isUrgent ? 1 : 0), .integer(now),
                ])
            guard let kept = try Self.attachment(info.id, of: terminalId, on: connection) else {
                throw .unexpected(column: "0")
            }
            return .keep(kept.info.hasContent(of: info) ? .open(kept) : .differs)
        }
    }

    /// How many are not whole, once those that nobody went on with are forgotten.
    private static func unfinished(
        of terminalId: String, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> Int64 {
        let old: [PostgresValue] = [
            .text(terminalId), .integer(now - UnfinishedUploads.lifetimeMilliseconds),
        ]
        let rows = try connection.query([
            PostgresStatement(
                "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id IN (SELECT id "
                    + "FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL AND opened_at < $2)", old),
            PostgresStatement(
                "DELETE FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL AND opened_at < $2", old),
            PostgresStatement(
                "SELECT COUNT(*) FROM attachments WHERE terminal_id = $1 AND whole_at IS NULL",
                [.text(terminalId)]),
        ])
        return rows.last?.first?.optionalInteger(0) ?? 0
    }

    /// A read by primary key, without the bytes and without a lock.
    package func attachment(
        _ id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await database.perform { connection throws(PostgresError) in
            try Self.attachment(id, of: terminalId, on: connection)
        }
    }

    /// A read without the bytes; nil in `terminal` means all terminals.
    package func attachments(terminal: String?) async throws(LedgerError) -> [StoredAttachment] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT \(Self.columns) FROM attachments WHERE $1::text IS NULL OR terminal_id = $1 "
                    + "ORDER BY opened_at, terminal_id, id", [.text(terminal)]
            ).rows.map(Self.attachment(from:))
        }
    }

    /// Locks the attachment's row, so of two hubs with the same chunk only the first writes it.
    package func appendChunk(
        _ bytes: [UInt8], at firstByte: Int64, to id: String, of terminalId: String
    ) async throws(LedgerError) -> StoredAttachment? {
        try await database.write { connection throws(PostgresError) in
            guard let known = try Self.attachment(id, of: terminalId, on: connection, isLocked: true) else {
                return .undo(nil)
            }
            guard known.takes(bytes.count, at: firstByte) else { return .undo(known) }
            let name: [PostgresValue] = [.text(terminalId), .text(id)]
            try connection.query([
                PostgresStatement(
                    "INSERT INTO attachment_pieces (terminal_id, attachment_id, first_byte, bytes) "
                        + "VALUES ($1, $2, $3, $4)",
                    name + [.integer(firstByte), .bytes(bytes)]),
                PostgresStatement(
                    "UPDATE attachments SET received = received + $3 WHERE terminal_id = $1 AND id = $2",
                    name + [.integer(Int64(bytes.count))]),
            ])
            return .keep(try Self.attachment(id, of: terminalId, on: connection))
        }
    }

    /// One row by the first byte of an earlier ``appendChunk(_:at:to:of:)``; another byte within it finds
    /// nothing.
    package func attachmentPiece(
        _ id: String, of terminalId: String, at firstByte: Int64
    ) async throws(LedgerError) -> [UInt8]? {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT bytes FROM attachment_pieces "
                    + "WHERE terminal_id = $1 AND attachment_id = $2 AND first_byte = $3",
                [.text(terminalId), .text(id), .integer(firstByte)]
            ).first?.bytes(0)
        }
    }

    /// Behind the row's lock; a wrong digest deletes the bytes and sets `received` to 0.
    package func settleAttachment(
        _ id: String, of terminalId: String, isRight: Bool, at now: Int64
    ) async throws(LedgerError) -> StoredAttachment? {
        try await database.write { connection throws(PostgresError) in
            guard let known = try Self.attachment(id, of: terminalId, on: connection, isLocked: true) else {
                return .undo(nil)
            }
            guard !known.isComplete, known.received == known.info.size else { return .undo(known) }
            try connection.query(Self.settlement(id, terminalId, isRight: isRight, at: now))
            return .keep(try Self.attachment(id, of: terminalId, on: connection))
        }
    }

    private static func settlement(
        _ id: String, _ terminalId: String, isRight: Bool, at now: Int64
    ) -> [PostgresStatement] {
        let name: [PostgresValue] = [.text(terminalId), .text(id)]
        guard !isRight else {
            return [
                PostgresStatement(
                    "UPDATE attachments SET whole_at = $3 WHERE terminal_id = $1 AND id = $2",
                    name + [.integer(now)])
            ]
        }
        return [
            PostgresStatement(
                "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id = $2", name),
            PostgresStatement(
                "UPDATE attachments SET received = 0 WHERE terminal_id = $1 AND id = $2", name),
        ]
    }

    private static func attachment(
        _ id: String, of terminalId: String, on connection: PostgresConnection, isLocked: Bool = false
    ) throws(PostgresError) -> StoredAttachment? {
        let lock = isLocked ? " FOR UPDATE" : ""
        return try connection.query(
            "SELECT \(columns) FROM attachments WHERE terminal_id = $1 AND id = $2" + lock,
            [.text(terminalId), .text(id)]
        ).first.map(attachment(from:))
    }

    private static func attachment(from row: PostgresRow) throws(PostgresError) -> StoredAttachment {
        StoredAttachment(
            terminalId: try row.text("terminal_id"),
            info: AttachmentInfo(
                id: try row.text("id"), sha256: try row.text("sha256"), size: try row.integer("size"),
                contentType: try row.text("content_type"), isUrgent: try row.integer("urgent") != 0),
            received: try row.integer("received"), openedAt: try row.integer("opened_at"),
            completedAt: try row.optionalInteger("whole_at"))
    }
}
