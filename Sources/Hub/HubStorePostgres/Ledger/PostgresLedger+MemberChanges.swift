package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// One transaction; the feed's lock is held from the first member on.
    package func revertMembers(
        _ reversal: MemberReversal, at now: Int64
    ) async throws(LedgerError) -> MemberReversal.Outcome {
        try await changeMembers(MemberReversal.portion, at: now) { try reversal.run(at: now, in: $0) }
    }

    /// One transaction; the feed's lock is held from the first member on.
    package func settleMembers(
        _ settlement: MemberSettlement, at now: Int64
    ) async throws(LedgerError) -> MemberSettlement.Outcome {
        try await changeMembers(settlement.changes, at: now) { try settlement.run(at: now, in: $0) }
    }

    private func changeMembers<Outcome: Sendable>(
        _ count: Int, at now: Int64, _ body: @escaping @Sendable (PostgresIntake) throws -> Outcome
    ) async throws(LedgerError) -> Outcome {
        try await database.perform(isLong: true) { connection throws(PostgresError) in
            let clock = try PostgresClock.reserve(count, at: now, on: connection)
            return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                do {
                    return .keep(try body(PostgresIntake(on: connection, from: clock)))
                } catch let error as PostgresError {
                    throw error
                } catch {
                    throw .refused(state: "-----", message: "\(error)")
                }
            }
        }
    }

    /// A read along the index of entities, sorted by bytes as in the SQLite store.
    package func members(after id: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT entity_id, value FROM changes WHERE entity = 'member' AND entity_id COLLATE \"C\" > $1 "
                    + "AND value IS NOT NULL ORDER BY entity_id COLLATE \"C\" LIMIT $2",
                [.text(id), .integer(Int64(limit))]
            ).rows.map { row throws(PostgresError) in
                MemberRecord(
                    id: try row.text("entity_id"), value: JSONValue.stored(try row.optionalText("value")))
            }
        }
    }
}

/// What members were before terminals changed them, as rows of the database.
enum PostgresMemberChanges {
    static func insertion(of changes: [MemberChange]) -> PostgresStatement? {
        guard !changes.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO member_changes (terminal_id, member_id, at, is_new, delta, fields) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])",
            [
                .texts(of: changes) { $0.terminalId }, .texts(of: changes) { $0.memberId },
                .integers(of: changes) { $0.at }, .integers(of: changes) { $0.isNew ? 1 : 0 },
                .integers(of: changes) { $0.delta }, .texts(of: changes) { $0.fields.canonicalText },
            ])
    }
}

extension PostgresIntake: MemberReversalTransaction {
    func note(_ change: MemberChange) { draft.unwritten.memberChanges.append(change) }

    /// Their rows are locked, so that two who revert at once take each change back once.
    func memberChanges(
        of terminalId: String, since: Int64, with part: MemberReversal.Part, limit: Int
    ) throws -> [(key: Int64, change: MemberChange)] {
        try query(
            "SELECT id, member_id, at, is_new, delta, fields FROM member_changes WHERE terminal_id = $1 "
                + "AND at >= $2 AND \(part.condition) ORDER BY id DESC LIMIT $3 FOR UPDATE",
            [.text(terminalId), .integer(since), .integer(Int64(limit))]
        ).rows.map { row in
            (
                key: try row.integer(0),
                change: MemberChange(
                    terminalId: terminalId, memberId: try row.text(1), at: try row.integer(2),
                    isNew: try row.integer(3) == 1, delta: try row.integer(4),
                    fields: JSONValue.stored(try row.text(5)))
            )
        }
    }

    func replace(_ key: Int64, by change: MemberChange) throws {
        if change.isEmpty {
            _ = try query("DELETE FROM member_changes WHERE id = $1", [.integer(key)])
        } else {
            _ = try query(
                "UPDATE member_changes SET delta = $2, fields = $3 WHERE id = $1",
                [.integer(key), .integer(change.delta), .text(change.fields.canonicalText)])
        }
    }
}
