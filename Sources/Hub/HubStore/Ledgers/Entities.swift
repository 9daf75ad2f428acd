internal import Credentials
package import HubCore
package import HubProtocol

/// What the whole chain shares besides the catalogue: members, cashiers, promotions and coupons. The change
/// feed's own rows are where they are kept.
extension Ledger {
    /// Takes records in, all or none. Entities that the list does not name stay as they are, and so do those
    /// that it names as they are. Plans in a read, then once more within the transaction for the records that
    /// change anything.
    ///
    /// - Parameter gone: entities that are withdrawn: a tombstone takes their place.
    package func importEntities(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        let ahead = try await snapshot { session in try session.plan(list, gone) }
        let (rest, going) = (ahead.changing(list), gone.filter(ahead.changedKeys.contains))
        guard ahead.objection == nil, !rest.isEmpty || !going.isEmpty else { return ahead.outcome }
        let all = list.count + gone.count
        // A cashier who moves to another store is written twice.
        let ticks = 2 * EntityPlan.keys(of: rest, withdrawing: going).count
        return try await publish(ticks, at: now, isLong: true) { session, clock in
            let plan = try session.plan(rest, going)
            guard plan.objection == nil else { return .undo(plan.outcome(ofAll: all)) }
            for portion in plan.written.portions(of: entitiesAtOnce) {
                var documents: [JournalDocument] = []
                try session.publish(
                    portion.map { change in
                        clock.tick(now: now)
                        documents += change.balanceDocument(at: now, hlc: clock)
                        return PublishedChange(change, at: now, hlc: clock)
                    })
                try session.append(documents)
            }
            return .keep(plan.outcome(ofAll: all))
        }
    }

    /// Takes what one id names out of the feed, as a withdrawal does, and the personal data that is with this
    /// id out of the journals that the hub keeps (``MemberErasure``). Withdraws the member in one
    /// transaction, then changes journal entries in portions; repeat it after a failure.
    ///
    /// - Returns: whether the hub had the id, and how many entries of journals were changed.
    package func eraseMemberId(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> (wasKnown: Bool, entries: Int) {
        let wasKnown = try await withdrawMember(id, at: now)
        try await change { session in
            try session.run("DELETE FROM member_changes WHERE member_id = $1", [id])
        }
        try await change { session in
            try session.run("DELETE FROM member_visits WHERE member_id = $1", [id])
        }
        var (last, count): (String?, Int) = ("", 0)
        while let place = last {
            let found = try await read(isLong: true) { session in
                try session.entries(naming: id, after: place)
            }
            let updates = found.erased.map { id, document in
                StoreQuery("UPDATE mutations SET document = $1 WHERE id = $2", of: [document, id])
            }
            try await write { session in
                try session.run(updates)
                return .keep(())
            }
            count += found.erased.count
            last = found.last
        }
        return (wasKnown, count)
    }

    /// The ids that were merged into a member (``MemberMerge``). It reads all members.
    package func idsMerged(into memberId: String) async throws(LedgerError) -> [String] {
        let text = MemberMerge.reference(to: memberId).canonicalText
        return try await read { session in
            try session.rows("SELECT entity_id FROM changes WHERE entity = 'member' AND value = $1", [text])
                .map { try $0[0] }
        }
    }

    /// The values of those of `keys` that are there.
    package func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue] {
        try await read { session in try session.values(of: keys) }
    }

    /// A chain-wide or store's entity as it is in the feed, and when it came there, in milliseconds since
    /// 1970 by the hub's clock; nil: it is not there.
    package func published(_ key: EntityKey) async throws(LedgerError) -> (value: JSONValue, at: Int64)? {
        try await read { session in
            try session.first(
                "SELECT value, hlc FROM changes WHERE entity = $1 AND entity_id = $2 AND value IS NOT NULL",
                [key.entity, key.id]
            ).map { (JSONValue.stored(try $0[0]), HybridLogicalClock(try $0[1])?.milliseconds ?? 0) }
        }
    }

    /// The values of all of a kind that are there for the terminals of a store, such as every `promotion`.
    package func entities(
        ofKind entity: String, for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        try await read { session in
            try session.rows(
                "SELECT value FROM changes WHERE entity = $1 AND store_id IN ('', $2) AND value IS NOT NULL",
                [entity, storeId]
            ).map { JSONValue.stored(try $0[0]) }
        }
    }

    /// Another number after each change of a kind for the terminals of a store, withdrawals included. The sum
    /// of the positions, of which each change raises one, in whatever order transactions end.
    package func changeMark(ofKind entity: String, for storeId: String) async throws(LedgerError) -> Int64 {
        try await read { session in
            try session.first(
                "SELECT CAST(COALESCE(sum(position), 0) AS BIGINT) FROM changes "
                    + "WHERE entity = $1 AND store_id IN ('', $2)", [entity, storeId])?[0] ?? 0
        }
    }

    /// The values of a kind that are there about some articles, for the terminals of a store: each `price`. A
    /// read by the index of look-ups.
    package func entities(
        ofKind entity: String, about skus: [String], for storeId: String
    ) async throws(LedgerError) -> [JSONValue] {
        let lookups = Set(skus.flatMap { SellingTerms.lookups(of: $0, in: storeId) })
        return try await read { session in
            try session.rows(
                "SELECT value FROM changes WHERE lookup \(session.dialect.isOne("$1")) AND entity = $2 "
                    + "AND value IS NOT NULL", [StoreValue.texts(Array(lookups)), entity]
            ).map { JSONValue.stored(try $0[0]) }
        }
    }

    /// The first `limit` members whose phone has exactly these digits (``MemberRecord/lookupDigits(of:)``):
    /// those who had it first, then by their ids, so that nobody is hidden by others who take the number
    /// later. Their values say `phoneSince` unless it was the hub that gave them the number. A read by the
    /// index of digits, sorted by bytes; it waits for no writer.
    package func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord] {
        try await read { session in
            let bytes = session.dialect.inBytes
            return try session.rows(
                "SELECT entity_id, value, lookup_since FROM changes WHERE lookup = $1 AND entity = 'member' "
                    + "ORDER BY \(bytes("COALESCE(lookup_since, '')")), \(bytes("entity_id")) LIMIT $2",
                [digits, limit]
            ).map { row in
                try MemberRecord(id: row[0], value: JSONValue.stored(row[1]), phoneSince: row[2])
            }
        }
    }

    /// The coupons with these codes, by the code as it is requested. A code that nobody imported so is taken
    /// for the one with the same normal form. A read with one query for each distinct code.
    package func coupons(typed codes: [String]) async throws(LedgerError) -> [String: JSONValue] {
        try await read { session in
            try Set(codes).reduce(into: [:]) { found, code in
                if let row = try session.coupon(typed: code) { found[code] = JSONValue.stored(try row[1]) }
            }
        }
    }
}

/// Entities of one statement.
private let entitiesAtOnce = 2_000

/// Entries of journals that one transaction changes, some milliseconds' worth: pushes go between them.
private let entriesAtOnce = 500

extension StoreSession {
    package func coupon(typed code: String) throws -> StoreRow? {
        try run([dialect.coupon(typed: code)]).first
    }

    fileprivate func plan(_ list: [some ImportedEntity], _ gone: [EntityKey]) throws -> EntityPlan {
        try run([dialect.planning].compactMap(\.self))
        return EntityPlan(
            list, withdrawing: gone,
            beside: try values(of: EntityPlan.keys(of: list, withdrawing: gone)))
    }

    /// Those that are there, whichever store they are for; a deleted one has no value.
    fileprivate func values(of keys: [EntityKey]) throws -> [EntityKey: JSONValue] {
        var values: [EntityKey: JSONValue] = [:]
        for (entity, keys) in Dictionary(grouping: keys, by: \.entity) {
            for portion in keys.portions(of: entitiesAtOnce) {
                for row in try rows(
                    "SELECT entity_id, value FROM changes WHERE entity = $1 "
                        + "AND entity_id \(dialect.isOne("$2")) AND value IS NOT NULL",
                    [entity, StoreValue.texts(portion.map(\.id))])
                {
                    values[EntityKey(entity, try row[0])] = JSONValue.stored(try row[1])
                }
            }
        }
        return values
    }

    /// Entries of a portion that name a member, as they are without. No index leads from a member to them:
    /// the journals are read whole, beside the pushes.
    ///
    /// - Returns: what is left of each; and the id of the portion's last one, nil at the end.
    fileprivate func entries(
        naming memberId: String, after last: String
    ) throws -> (erased: [(id: String, document: String)], last: String?) {
        let rows = try rows(
            "SELECT id, document FROM mutations WHERE id > $1 AND type \(dialect.isOne("$2")) "
                + "AND \(dialect.place("$3", "document")) > 0 ORDER BY id LIMIT $4",
            [
                last, StoreValue.texts(MemberErasure.types), JSONValue.string(memberId).canonicalText,
                entriesAtOnce,
            ])
        let erased = try rows.compactMap { row -> (id: String, document: String)? in
            try MemberErasure.erased(JSONValue.stored(row[1]), of: memberId).map {
                (try row[0], $0.canonicalText)
            }
        }
        return (erased, rows.count < entriesAtOnce ? nil : try rows.last?[0])
    }
}

extension Dialect {
    /// Id and value of the coupon with the code `typed`, else of the first with the same normal form.
    package func coupon(typed code: String) -> StoreQuery {
        StoreQuery(
            "SELECT entity_id, value FROM (SELECT 1 AS place, entity_id, value FROM changes "
                + "WHERE entity = 'coupon' AND entity_id = $1 AND store_id = '' AND value IS NOT NULL "
                + "UNION ALL SELECT * FROM (SELECT 2 AS place, entity_id, value FROM changes "
                + "WHERE lookup = $2 AND entity = 'coupon' AND value IS NOT NULL "
                + "ORDER BY \(inBytes("entity_id")) LIMIT 1) AS other) AS found ORDER BY place LIMIT 1",
            of: [code, CouponCode.normalForm(of: code)])
    }
}

extension EntityPlan.Change {
    /// The document of a balance that an import sets, or that ends with its member; none where it stays.
    fileprivate func balanceDocument(at now: Int64, hlc: HybridLogicalClock) -> [JournalDocument] {
        guard balanceChange != 0 else { return [] }
        let common = JournalCommons(.points, "\(key.id).\(hlc)", of: nil, in: nil, at: now)
        let reason = value == nil ? "withdrawn" : "imported"
        return [JournalDocument(common, PointsDocument(key.id, balanceChange, reason: reason))]
    }
}
