internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// One write transaction.
    package func revertMembers(
        _ reversal: MemberReversal, at now: Int64
    ) async throws(LedgerError) -> MemberReversal.Outcome {
        try await writer.write { db in .keep(try reversal.run(at: now, in: SQLiteIntake(db: db))) }
    }

    /// One write transaction.
    package func settleMembers(
        _ settlement: MemberSettlement, at now: Int64
    ) async throws(LedgerError) -> MemberSettlement.Outcome {
        try await writer.write { db in .keep(try settlement.run(at: now, in: SQLiteIntake(db: db))) }
    }

    /// A read along the index of entities; it waits for no writer.
    package func members(after id: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await file.read { db in
            try db.all(
                "SELECT entity_id, value FROM changes WHERE entity = 'member' AND entity_id > ? "
                    + "AND value IS NOT NULL ORDER BY entity_id LIMIT ?", [id, limit]
            ).map { MemberRecord(id: $0["entity_id"], value: JSONValue.stored($0["value"])) }
        }
    }
}

extension SQLiteIntake: MemberReversalTransaction {
    func note(_ change: MemberChange) throws {
        try db.run(
            "INSERT INTO member_changes (terminal_id, member_id, at, is_new, delta, fields) "
                + "VALUES (?, ?, ?, ?, ?, ?)",
            [
                change.terminalId, change.memberId, change.at, change.isNew ? 1 : 0, change.delta,
                change.fields.canonicalText,
            ])
    }

    func memberChanges(
        of terminalId: String, since: Int64, with part: MemberReversal.Part, limit: Int
    ) throws -> [(key: Int64, change: MemberChange)] {
        try db.all(
            "SELECT id, member_id, at, is_new, delta, fields FROM member_changes WHERE terminal_id = ? "
                + "AND at >= ? AND \(part.condition) ORDER BY id DESC LIMIT ?",
            [terminalId, since, limit]
        ).map { row in
            (
                key: row[0],
                change: MemberChange(
                    terminalId: terminalId, memberId: row[1], at: row[2], isNew: row[3] == 1, delta: row[4],
                    fields: JSONValue.stored(row[5]))
            )
        }
    }

    func replace(_ key: Int64, by change: MemberChange) throws {
        if change.isEmpty {
            try db.run("DELETE FROM member_changes WHERE id = ?", [key])
        } else {
            try db.run(
                "UPDATE member_changes SET delta = ?, fields = ? WHERE id = ?",
                [change.delta, change.fields.canonicalText, key])
        }
    }
}
