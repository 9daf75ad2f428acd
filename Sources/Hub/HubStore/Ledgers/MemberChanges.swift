package import HubCore
package import HubProtocol

/// What the whole chain shares besides the catalogue: members, cashiers, promotions and coupons. The change
/// feed's own rows are where they are kept.
extension Ledger {
    /// Takes back one portion of what a terminal changed of members; to be repeated while there is more. One
    /// transaction.
    package func revertMembers(
        _ reversal: MemberReversal, at now: Int64
    ) async throws(LedgerError) -> MemberReversal.Outcome {
        try await intake(for: .changes(MemberReversal.portion), at: now) { intake in
            try reversal.run(at: now, in: intake)
        }
    }

    /// Gives members one portion of the points that wait of a terminal's sales; to be repeated while there is
    /// more. One transaction.
    package func releaseHeldPoints(
        _ held: HeldPoints, at now: Int64
    ) async throws(LedgerError) -> HeldPoints.Outcome {
        try await intake(for: .changes(MemberReversal.portion), at: now) { intake in
            try held.run(at: now, in: intake)
        }
    }

    /// Makes two members one, whom an operator knows to be one person. One transaction; the feed's lock is
    /// held from the first member on.
    package func settleMembers(
        _ settlement: MemberSettlement, at now: Int64
    ) async throws(LedgerError) -> MemberSettlement.Outcome {
        try await intake(for: .changes(settlement.changes), at: now) { intake in
            try settlement.run(at: now, in: intake)
        }
    }

    /// The first `limit` members behind an id, in the order of their ids' bytes; those who were merged are
    /// among them. A read along the index of entities, which waits for no writer.
    package func members(after id: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await read { session in
            let key = session.dialect.inBytes("entity_id")
            return try session.rows(
                "SELECT entity_id, value FROM changes WHERE entity = 'member' AND \(key) > $1 "
                    + "AND value IS NOT NULL ORDER BY \(key) LIMIT $2", [id, limit]
            ).map { try MemberRecord(id: $0[0], value: JSONValue.stored($0[1])) }
        }
    }
}

extension HeldPoints {
    /// Sales that wait: terminal, moment, order or null. The flag stands in the text, since the index
    /// `flags_of_held_points` is of rows with it alone.
    package static let query =
        "SELECT f.mutation_id, o.order_id FROM flags f JOIN orders o ON o.mutation_id = f.mutation_id "
        + "WHERE f.terminal_id = $1 AND f.received_at >= $2 AND f.flag = '\(IntakeFlag.pointsHeld.rawValue)' "
        + "AND (CAST($3 AS TEXT) IS NULL OR o.order_id = $3) ORDER BY f.received_at, f.mutation_id"
}

extension MemberReversalTransaction where Self: StoreSession {
    /// Their rows are locked, so that two who revert at once take each change back once.
    package func memberChanges(
        of terminalId: String, since: Int64, with part: MemberReversal.Part, limit: Int
    ) throws -> [(key: Int64, change: MemberChange)] {
        try rows(
            "SELECT id, member_id, at, is_new, delta, fields FROM member_changes WHERE terminal_id = $1 "
                + "AND at >= $2 AND \(part.condition) ORDER BY id DESC LIMIT $3" + dialect.forUpdate,
            [terminalId, since, limit]
        ).map { row in
            try (
                key: row[0],
                change: MemberChange(
                    terminalId: terminalId, memberId: row[1], at: row[2], isNew: row[3], delta: row[4],
                    fields: JSONValue.stored(row[5]))
            )
        }
    }

    /// Their rows are locked, so that two who release at once give each sale's points once.
    package func heldSales(of held: HeldPoints, limit: Int) throws -> [HeldPoints.Sale] {
        let query = HeldPoints.query + " LIMIT $4" + dialect.forUpdate(of: "f")
        return try rows(query, [held.terminalId, held.since, held.orderId, limit]).map { row in
            try HeldPoints.Sale(mutationId: row[0], orderId: row[1])
        }
    }

    package func remove(_ flag: IntakeFlag, of mutationId: String) throws {
        try run("DELETE FROM flags WHERE mutation_id = $1 AND flag = $2", [mutationId, flag.rawValue])
    }

    package func replace(_ key: Int64, by change: MemberChange) throws {
        if change.isEmpty {
            try run("DELETE FROM member_changes WHERE id = $1", [key])
        } else {
            try run(
                "UPDATE member_changes SET delta = $2, fields = $3 WHERE id = $1",
                [key, change.delta, change.fields.canonicalText])
        }
    }
}
