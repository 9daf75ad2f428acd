internal import Credentials
package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// Plans without the feed's lock, then once more behind it for the records that change anything.
    package func importEntities(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let ahead = try await database.write(isLong: true) { connection throws(PostgresError) in
            .undo(try PostgresEntityImport(on: connection).plan(list, gone))
        }
        let (rest, going) = (ahead.changing(list), gone.filter(ahead.changedKeys.contains))
        guard ahead.objection == nil, !rest.isEmpty || !going.isEmpty else { return ahead.outcome }
        let all = list.count + gone.count
        return try await database.perform(isLong: true) { connection throws(PostgresError) in
            // Behind the feed's lock, as pushes write members and coupons too.
            try StoreLock.feed.held(on: connection) { () throws(PostgresError) in
                // A cashier who moves to another store is written twice.
                let count = 2 * EntityPlan.keys(of: rest, withdrawing: going).count
                let clock = try PostgresClock.reserve(count, at: now, on: connection)
                return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                    let transaction = try PostgresEntityImport(on: connection)
                    let plan = try transaction.plan(rest, going)
                    guard plan.objection == nil else { return .undo(plan.outcome(ofAll: all)) }
                    try transaction.write(plan.written, at: now, from: clock)
                    return .keep(plan.outcome(ofAll: all))
                }
            }
        }
    }

    /// Withdraws the member in one transaction and changes all journal entries in a second; repeat it after a
    /// failure.
    package func eraseMemberId(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> (wasKnown: Bool, entries: Int) {
        let wasKnown = try await withdrawMember(id, at: now)
        let entries = try await database.write { connection throws(PostgresError) in
            try connection.query("DELETE FROM member_changes WHERE member_id = $1", [.text(id)])
            // No index leads from a member to the entries: the journals are read whole, beside the pushes.
            let rows = try connection.query(
                "SELECT id, document FROM mutations WHERE type = ANY($1::text[]) AND strpos(document, $2) > 0",
                [.texts(MemberErasure.types), .text(JSONValue.string(id).canonicalText)]
            ).rows
            var count = 0
            for row in rows {
                guard
                    let left = MemberErasure.erased(
                        JSONValue.stored(try row.optionalText("document")), of: id)
                else {
                    continue
                }
                try connection.query(
                    "UPDATE mutations SET document = $1 WHERE id = $2",
                    [.text(left.canonicalText), .text(try row.text("id"))])
                count += 1
            }
            return .keep(count)
        }
        return (wasKnown, entries)
    }

    /// A read of all members: no index leads from one to the other.
    package func idsMerged(into memberId: String) async throws(LedgerError) -> [String] {
        let text = MemberMerge.reference(to: memberId).canonicalText
        return try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT entity_id FROM changes WHERE entity = 'member' AND value = $1", [.text(text)]
            ).rows.map { row throws(PostgresError) in try row.text(0) }
        }
    }

    /// A read; deleted entities are not in the result.
    package func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            try PostgresEntityImport.values(of: keys, on: connection)
        }
    }

    /// A read of all rows of the kind.
    package func entities(
        ofKind entity: String, for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT value FROM changes WHERE entity = $1 AND store_id IN ('', $2) AND value IS NOT NULL",
                [.text(entity), .text(storeId)]
            ).rows.map { JSONValue.stored($0.optionalText(0)) }
        }
    }

    /// The sum of the positions, of which each change raises one, in whatever order transactions end.
    package func changeMark(ofKind entity: String, for storeId: String) async throws(LedgerError) -> Int64 {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT COALESCE(sum(position), 0)::bigint AS mark FROM changes "
                    + "WHERE entity = $1 AND store_id IN ('', $2)",
                [.text(entity), .text(storeId)]
            ).rows.first?.integer("mark") ?? 0
        }
    }

    /// A read by the index of look-ups.
    package func entities(
        ofKind entity: String, about skus: [String], for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT value FROM changes WHERE lookup = ANY($1::text[]) AND entity = $2 "
                    + "AND value IS NOT NULL",
                [.texts(skus.flatMap { SellingTerms.lookups(of: $0, in: storeId) }), .text(entity)]
            ).rows.map { JSONValue.stored($0.optionalText(0)) }
        }
    }

    /// A read by the index of digits, sorted by bytes as in the SQLite store.
    package func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                "SELECT entity_id, value, lookup_since FROM changes WHERE lookup = $1 AND entity = 'member' "
                    + "ORDER BY COALESCE(lookup_since, '') COLLATE \"C\", entity_id COLLATE \"C\" LIMIT $2",
                [.text(digits), .integer(Int64(limit))]
            ).rows.map { row throws(PostgresError) in
                MemberRecord(
                    id: try row.text("entity_id"), value: JSONValue.stored(try row.optionalText("value")),
                    phoneSince: try row.optionalText("lookup_since"))
            }
        }
    }

    /// A read with one query for each distinct code.
    package func coupons(typed codes: [String]) async throws(LedgerError) -> [String: JSONValue] {
        try await database.perform { connection throws(PostgresError) in
            var found: [String: JSONValue] = [:]
            for code in Set(codes) {
                let row = try connection.query([PostgresCoupon.statement(typed: code)]).first?.rows.first
                if let row { found[code] = JSONValue.stored(try row.optionalText("value")) }
            }
            return found
        }
    }
}

/// Coupons as people type their codes.
enum PostgresCoupon {
    /// Id and value of the one with the code `typed`, else of the first with the same normal form.
    static func statement(typed: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT entity_id, value FROM (SELECT 1 AS rank, entity_id, value FROM changes "
                + "WHERE entity = 'coupon' AND entity_id = $1 AND store_id = '' AND value IS NOT NULL "
                + "UNION ALL (SELECT 2, entity_id, value FROM changes "
                + "WHERE lookup = $2 AND entity = 'coupon' AND value IS NOT NULL "
                + "ORDER BY entity_id COLLATE \"C\" LIMIT 1)) AS found ORDER BY rank LIMIT 1",
            [.text(typed), .text(CouponCode.normalForm(of: typed))])
    }
}
