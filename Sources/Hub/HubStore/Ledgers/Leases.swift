package import HubCore
package import HubProtocol

/// What is lent to terminals.
extension Ledger {
    /// Lends what a terminal is about to spend, as far as nobody else has it, and recalls the rest. One
    /// transaction behind the feed's lock, so that two hubs never lend the same twice.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func lend(
        _ wanted: LeaseRequest, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) -> Lent {
        try await intake(for: .lending, at: now) { try $0.lend(wanted, to: device, by: terms, at: now) }
    }

    /// Lends a terminal its share of the points of a member whom it looks up, and keeps that the member is
    /// at its store. One transaction behind the feed's lock.
    package func lendShare(
        of memberId: String, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) {
        try await intake(for: .lending, at: now) {
            try $0.lendShare(of: memberId, to: device, by: terms, at: now)
        }
    }

    /// Takes leases back that a terminal returns. One transaction behind the feed's lock.
    ///
    /// - Returns: what it is lent again, since nobody else wants it.
    package func takeBack(
        _ order: LeaseReturn, from device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> [Lease] {
        try await intake(for: .lending, at: now) { try $0.takeBack(order, from: device, at: now) }
    }

    /// The terminals of which something is recalled that they have not returned. A read by an index of the
    /// recalled ones, which are few.
    package func terminalsOwingReturns(at now: Int64) async throws(LedgerError) -> Set<String> {
        try await read { session in
            Set(
                try session.rows(
                    "SELECT DISTINCT terminal_id FROM leases WHERE \(LeaseRows.owed) AND recalled_until > $1",
                    [now]
                ).map { try $0[0] as String })
        }
    }

    /// Lends a terminal its shares in advance, some at a time: of all members and coupons in a small chain,
    /// of those of its store in others (``AdvanceShares``). Looks first whether anything is to be lent, then
    /// lends behind the feed's lock: most pulls find nothing.
    package func lendAhead(
        to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) {
        for _ in 0..<AdvanceShares.mostPortions {
            let due = try await read { session in try session.due(device, by: terms, at: now) }
            guard let due else { return }
            try await intake(for: .lending, at: now) { try $0.lendAhead(to: device, by: due, at: now) }
            guard due.mayGoOn else { return }
        }
    }

    /// Gives up a lease that is open, or that its terminal gave twice; nil when there is none of that id. One
    /// transaction behind the feed's lock.
    package func release(
        _ id: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Lease? {
        try await intake(for: .lending, at: now) { try $0.release(id, by: name, reason: reason, at: now) }
    }

    /// Gives up some of the leases of a terminal that have expired. One transaction behind the feed's lock.
    ///
    /// - Returns: how many; 0: there are no more.
    package func releaseExpired(
        of terminalId: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Int {
        try await intake(for: .lending, at: now) {
            try $0.releaseExpired(of: terminalId, by: name, reason: reason, at: now)
        }
    }

    /// The leases, the next to expire first. A read of the table.
    ///
    /// - Parameter all: also those that ended or were released.
    package func leases(all: Bool) async throws(LedgerError) -> [Lease] {
        try await read { session in try session.leases(all ? "TRUE" : "state IN ('open', 'exceeded')", []) }
    }
}

/// What ``LeaseProcedure`` does, for an intake of whichever store.
extension StoreIntake {
    private func procedure(at now: Int64) throws -> LeaseProcedure<Self> {
        LeaseProcedure(store: self, clock: try clock(), at: now) { LeaseRows.mint(at: now) }
    }

    fileprivate func lend(
        _ wanted: LeaseRequest, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) throws -> Lent {
        var procedure = try procedure(at: now)
        return try procedure.lend(wanted, to: device, by: terms)
    }

    fileprivate func lendShare(
        of memberId: String, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) throws {
        var procedure = try procedure(at: now)
        try procedure.lendShare(of: memberId, to: device, by: terms)
    }

    fileprivate func takeBack(
        _ order: LeaseReturn, from device: DeviceIdentity, at now: Int64
    ) throws -> [Lease] {
        var procedure = try procedure(at: now)
        return try procedure.takeBack(order, from: device)
    }

    fileprivate func lendAhead(to device: DeviceIdentity, by advance: LeaseAdvance, at now: Int64) throws {
        var procedure = try procedure(at: now)
        try procedure.lendAhead(to: device, by: advance)
    }

    fileprivate func release(
        _ id: String, by name: String, reason: String, at now: Int64
    ) throws -> Lease? {
        var procedure = try procedure(at: now)
        return try procedure.release(id, by: name, reason: reason)
    }

    fileprivate func releaseExpired(
        of terminalId: String, by name: String, reason: String, at now: Int64
    ) throws -> Int {
        var procedure = try procedure(at: now)
        return try procedure.releaseExpired(of: terminalId, by: name, reason: reason)
    }
}

extension LeaseRows {
    /// What a store, `$1`, has of card payments that no bank has decided: tokens that are not forwarded, and
    /// what card machines took by themselves; of a revoked terminal no end of day comes any more. Both states
    /// are named so that the index of undecided payments serves.
    fileprivate static let storedAmount =
        "SELECT CAST(COALESCE((SELECT sum(p.amount) FROM payments p JOIN terminals t ON t.id = p.terminal_id "
        + "WHERE p.state IN ('unknown', 'storedOffline') AND p.state = 'storedOffline' AND t.store_id = $1), 0) "
        + "+ COALESCE((SELECT sum(m.amount) FROM machine_cards m JOIN terminals t ON t.id = m.terminal_id "
        + "WHERE t.store_id = $1 AND t.revoked_at IS NULL), 0) AS BIGINT)"

    /// The condition of ``LeaseTransaction/due(of:epoch:in:limit:)``.
    fileprivate static let due =
        "state = 'open' AND terminal_id = $1 AND epoch = $2 AND (expires_at < $3 "
        + "OR expires_at >= $4 AND expires_at < $5 AND \(spendable))"

    /// What ``due`` is queried with.
    fileprivate static func values(
        of place: JournalPlace, in window: LeaseWindow
    ) -> [any StoreConvertible] {
        [place.terminalId, place.epoch, window.endedBefore, window.now, window.renewedBefore]
    }

    /// By the lease's id; whom a lease is for stays, and of whom unless members become one.
    fileprivate static let saving =
        "INSERT INTO leases (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
        + "$11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT (lease_id) DO UPDATE SET "
        + "subject = $3, epoch = $6, amount = $8, used = $9, expires_at = $10, version = $11, state = $13, ended_at = $14, "
        + "ended_by = $15, reason = $16, recalled = $17, recalled_until = $18, returned_through = $19"
}

extension StoreSession {
    /// A till's own, or that of a terminal that the same device was before.
    fileprivate func exceeded(_ terminalId: String) throws -> Bool {
        try first(
            "SELECT 1 FROM leases l LEFT JOIN terminals was ON was.id = l.terminal_id "
                + "LEFT JOIN terminals own ON own.id = $1 "
                + "WHERE l.state = 'exceeded' AND (l.terminal_id = $1 OR was.store_id = own.store_id "
                + "AND was.device = own.device) LIMIT 1", [terminalId]) != nil
    }

    fileprivate func leases(
        _ condition: String, _ values: [any StoreConvertible], limit: Int? = nil
    ) throws -> [Lease] {
        try rows(
            "SELECT \(LeaseRows.columns) FROM leases WHERE \(condition) "
                + "ORDER BY expires_at, \(dialect.inBytes("lease_id"))"
                + (limit.map { " LIMIT \($0)" } ?? ""), values
        ).compactMap { row in
            try Lease(
                texts: (row[0], row[1], row[2], row[3], row[4]), epoch: row[5], brief: row[6], amount: row[7],
                used: row[8], expiresAt: row[9], version: row[10], issuedAt: row[11], state: row[12],
                ended: (row[13], row[14], row[15]), recalled: (row[16], row[17]), returnedThrough: row[18])
        }
    }

    fileprivate func journalEvidence(of place: JournalPlace) throws -> JournalEvidence? {
        try first(
            "SELECT h.head, h.seen_at, e.acknowledged_through, e.highest FROM epochs e "
                + "LEFT JOIN heads h ON h.terminal_id = e.terminal_id AND h.epoch = e.epoch "
                + "WHERE e.terminal_id = $1 AND e.epoch = $2", [place.terminalId, place.epoch]
        ).map { row in
            try LeaseRows.evidence(
                head: row[0], seenAt: row[1], acknowledgedThrough: row[2], highest: row[3])
        }
    }

    /// What is to be lent in advance now; nil: nothing is.
    fileprivate func due(
        _ device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) throws -> LeaseAdvance? {
        let row = try first(
            "SELECT COALESCE((SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1), 1), "
                + "(SELECT form FROM lease_scans WHERE terminal_id = $1), "
                + "(SELECT position FROM lease_scans WHERE terminal_id = $1), "
                + "(SELECT count(*) FROM terminals WHERE store_id = $2 AND revoked_at IS NULL "
                + "AND token_expires_at > $3), "
                + "CASE WHEN \(MemberVisit.others(than: "$2", at: "$3")) THEN 1 ELSE 0 END",
            [device.terminalId, device.storeId, now])
        guard let row else { return nil }
        guard try !exceeded(device.terminalId) else { return nil }
        let epoch: Int64 = try row[0]
        let (form, position): (String?, Int64?) = (try row[1], try row[2])
        let active = ActiveTerminals(store: try row[3], hasOthers: try row[4])
        return try terms.ahead(among: active) { advance throws(any Error) in
            let scanned = form == advance.form(epoch: epoch) ? position : nil
            let place = JournalPlace(terminalId: device.terminalId, epoch: epoch)
            let window = LeaseWindow(terms, by: try journalEvidence(of: place), at: now)
            guard advance.isOfChain else {
                let customs = CustomWindow(after: scanned, at: now)
                return try customs.isDue && hasDue(customs, in: device.storeId, place, window)
            }
            let isDue: Bool? = try first(
                "SELECT CASE WHEN EXISTS (SELECT 1 FROM changes WHERE position > $6 "
                    + "AND entity IN ('member', 'coupon') AND value IS NOT NULL) "
                    + "OR EXISTS (SELECT 1 FROM leases WHERE \(LeaseRows.due)) THEN 1 ELSE 0 END",
                LeaseRows.values(of: place, in: window) + [scanned ?? 0])?[0]
            return isDue ?? false
        } cards: { () throws(any Error) in
            let lent = try first(
                "SELECT (\(LeaseRows.storedAmount)), CAST(COALESCE(sum(CASE WHEN amount > used "
                    + "THEN amount - used ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(sum(amount - used) "
                    + "FILTER (WHERE terminal_id = $2 AND epoch = $3 AND \(LeaseRows.spendable)), 0) AS BIGINT) "
                    + "FROM leases WHERE state = 'open' AND kind = 'card' AND subject = $1",
                [device.storeId, device.terminalId, epoch])
            return (try lent?[0] ?? 0, try lent?[1] ?? 0, try lent?[2] ?? 0)
        }
    }
}

/// What is kept of a store's customs.
extension StoreSession {
    /// Whether something of a store is to be looked at for one of its terminals.
    fileprivate func hasDue(
        _ customs: CustomWindow, in storeId: String, _ place: JournalPlace, _ window: LeaseWindow
    ) throws -> Bool {
        let renewed = customs.after + window.renewedBefore - window.now
        let values: [any StoreConvertible] = [
            storeId, customs.after, customs.through, renewed, customs.looksBackTo,
        ]
        let isDue: Bool? = try first(
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM member_visits "
                + "WHERE store_id = $6 AND seen_at > $10 AND seen_at <= $8) "
                + "OR EXISTS (SELECT 1 FROM coupon_uses "
                + "WHERE store_id = $6 AND used_at > $7 AND used_at <= $8) "
                + "OR EXISTS (SELECT 1 FROM leases WHERE \(LeaseRows.due) "
                + "AND (expires_at < $3 OR expires_at > $9)) THEN 1 ELSE 0 END",
            LeaseRows.values(of: place, in: window) + values)?[0]
        return isDue ?? false
    }

    /// The rows of a store within a window by their moment, as many as a limit, and those of the moment of
    /// the last of them.
    fileprivate func customs(
        _ columns: String, in table: String, by moment: String, of storeId: String,
        in window: CustomWindow, limit: Int
    ) throws -> [StoreRow] {
        let open = "FROM \(table) WHERE store_id = $1 AND \(moment) > $2 AND \(moment) <= "
        return try rows(
            "SELECT \(columns) \(open) COALESCE((SELECT \(moment) \(open) $3 ORDER BY \(moment) "
                + "LIMIT 1 OFFSET $4), $3) ORDER BY \(moment) LIMIT \(AdvanceShares.mostOfMoment)",
            [storeId, window.after, window.through, Int64(limit - 1)])
    }

    package func note(_ visit: MemberVisit) throws {
        try run(
            MemberVisit.insertion(
                of: "SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS TEXT) "
                    + "WHERE \(MemberVisit.others(than: "CAST($2 AS TEXT)", at: "CAST($3 AS BIGINT)"))"),
            [visit.memberId, visit.storeId, visit.seenAt, visit.terminalId])
    }

    package func note(_ use: CouponUse) throws {
        try run(
            CouponUse.insertion(of: "VALUES ($1, $2, $3, 1, $4)"),
            [use.couponId, use.storeId, use.day, use.usedAt])
    }
}

extension MemberVisit {
    fileprivate init(row: StoreRow) throws {
        try self.init(memberId: row[0], storeId: row[1], seenAt: row[2], terminalId: row[3])
    }

    package static let columns = "member_id, store_id, seen_at, terminal_id"

    /// Raises the time that is there with its terminal, or replaces one to come; no row comes twice in one
    /// statement.
    ///
    /// - Parameter rows: `VALUES` or `SELECT` of ``columns``.
    package static func insertion(of rows: String) -> String {
        "INSERT INTO member_visits AS v (\(columns)) \(rows) ON CONFLICT (member_id, store_id) DO UPDATE SET "
            + CustomRows.moment("seen_at", over: "v") + ", "
            + CustomRows.value("terminal_id", ofLater: "seen_at", over: "v")
    }

    /// Whether other stores than one have an active terminal at a moment. In a chain of one store nothing is
    /// lent by visits, so none is kept.
    package static func others(than store: String, at moment: String) -> String {
        "EXISTS (SELECT 1 FROM terminals t WHERE t.store_id <> \(store) AND t.revoked_at IS NULL "
            + "AND t.token_expires_at > \(moment))"
    }

    /// Moves `$1`'s to `$2`, of each store the later one.
    fileprivate static let moving =
        "INSERT INTO member_visits AS v (\(columns)) SELECT CAST($2 AS TEXT), store_id, seen_at, terminal_id "
        + "FROM member_visits WHERE member_id = $1 ON CONFLICT (member_id, store_id) DO UPDATE SET "
        + "seen_at = excluded.seen_at, terminal_id = excluded.terminal_id "
        + "WHERE excluded.seen_at > v.seen_at"
}

private enum CustomRows {
    /// The later one of two moments. One further ahead than hubs' clocks differ is of a clock that was wrong,
    /// and gives way.
    static func moment(_ column: String, over row: String) -> String {
        value(column, ofLater: column, over: row)
    }

    /// What goes with the later one.
    static func value(_ column: String, ofLater moment: String, over row: String) -> String {
        "\(column) = CASE WHEN \(row).\(moment) > excluded.\(moment) AND \(row).\(moment) <= "
            + "excluded.\(moment) + \(CustomWindow.settling) THEN \(row).\(column) "
            + "ELSE excluded.\(column) END"
    }
}

extension CouponUse {
    package static let columns = "coupon_id, store_id, day, uses, used_at"

    /// In UTC, counted from 1970.
    package var day: Int64 { TerminalUsage.day(at: usedAt) }

    /// Adds to the row that is there; no row comes twice in one statement.
    ///
    /// - Parameter rows: `VALUES` or `SELECT` of ``columns``.
    package static func insertion(of rows: String) -> String {
        "INSERT INTO coupon_uses AS u (\(columns)) \(rows) ON CONFLICT (coupon_id, store_id, day) "
            + "DO UPDATE SET uses = u.uses + excluded.uses, " + CustomRows.moment("used_at", over: "u")
    }
}

extension LeaseTransaction where Self: StoreSession {
    package func moveVisits(of memberId: String, to other: String) throws {
        try run(MemberVisit.moving, [memberId, other])
        try run("DELETE FROM member_visits WHERE member_id = $1", [memberId])
    }

    package func visits(of memberId: String, at now: Int64) throws -> [MemberVisit] {
        let moment = "CASE WHEN seen_at > $2 THEN $2 ELSE seen_at END"
        return try rows(
            "SELECT member_id, store_id, \(moment), terminal_id FROM member_visits WHERE member_id = $1 "
                + "ORDER BY \(moment) DESC, \(dialect.inBytes("store_id")) LIMIT \(AdvanceShares.mostStores)",
            [memberId, now]
        ).map(MemberVisit.init(row:))
    }

    package func visitors(
        of storeId: String, in window: CustomWindow, limit: Int
    ) throws -> [MemberVisit] {
        try customs(
            MemberVisit.columns, in: "member_visits", by: "seen_at", of: storeId, in: window, limit: limit
        ).map(MemberVisit.init(row:))
    }

    package func wanderers(
        through storeId: String, servedBy terminalId: String?, in window: CustomWindow, limit: Int
    ) throws -> [MemberVisit] {
        let condition =
            terminalId == nil
            ? "EXISTS (SELECT 1 FROM member_visits w WHERE w.member_id = v.member_id AND w.store_id <> $1)"
            : "terminal_id = $5"
        return try rows(
            "SELECT \(MemberVisit.columns) FROM member_visits v WHERE store_id = $1 AND seen_at > $2 "
                + "AND seen_at <= $3 AND \(condition) ORDER BY seen_at DESC LIMIT $4",
            [storeId, window.looksBackTo, window.after, Int64(limit)]
                + (terminalId.map { [$0 as any StoreConvertible] } ?? [])
        ).map(MemberVisit.init(row:))
    }

    package func visitTime(of rank: Int64, in storeId: String) throws -> Int64? {
        try first(
            "SELECT seen_at FROM member_visits WHERE store_id = $1 ORDER BY seen_at DESC LIMIT 1 OFFSET $2",
            [storeId, rank - 1])?[0]
    }

    package func couponUses(of couponId: String, since day: Int64) throws -> [String: Int64] {
        let rows = try rows(
            "SELECT store_id, CAST(SUM(uses) AS BIGINT) FROM coupon_uses WHERE coupon_id = $1 AND day >= $2 "
                + "GROUP BY store_id", [couponId, day])
        return try Dictionary(rows.map { (try $0[0], try $0[1]) }) { first, _ in first }
    }

    package func couponsUsed(
        in storeId: String, in window: CustomWindow, limit: Int
    ) throws -> [CouponUse] {
        try customs(
            "coupon_id, store_id, used_at", in: "coupon_uses", by: "used_at", of: storeId, in: window,
            limit: limit
        ).map { try CouponUse(couponId: $0[0], storeId: $0[1], usedAt: $0[2]) }
    }

    package func activeStores(at now: Int64) throws -> Int64 {
        try first(
            "SELECT count(DISTINCT store_id) FROM terminals WHERE revoked_at IS NULL "
                + "AND token_expires_at > $1", [now])?[0] ?? 0
    }

    package func openShares(of place: JournalPlace, at now: Int64) throws -> Int64 {
        try first(
            "SELECT count(*) FROM leases WHERE terminal_id = $1 AND epoch = $2 AND expires_at > $3 "
                + "AND \(LeaseRows.spendable)", [place.terminalId, place.epoch, now])?[0] ?? 0
    }

    package func expiring(
        of place: JournalPlace, in range: ClosedRange<Int64>, limit: Int
    ) throws -> [Lease] {
        let own = "terminal_id = $1 AND epoch = $2 AND \(LeaseRows.spendable) AND expires_at >= $3 "
        return try leases(
            "\(own) AND expires_at <= COALESCE((SELECT expires_at FROM leases WHERE \(own) "
                + "AND expires_at <= $4 ORDER BY expires_at LIMIT 1 OFFSET $5), $4)",
            [place.terminalId, place.epoch, range.lowerBound, range.upperBound, Int64(limit - 1)],
            limit: AdvanceShares.mostOfMoment)
    }

    /// Behind the feed's lock, as whatever lends is.
    package func lease(_ id: String) throws -> Lease? {
        try lock(.feed)
        return try leases("lease_id = $1", [id]).first
    }

    package func hasLeases(_ terminalIds: [String]) throws -> Bool {
        try first(
            "SELECT 1 FROM leases WHERE state = 'open' AND terminal_id \(dialect.isOne("$1")) LIMIT 1",
            [StoreValue.texts(terminalIds)]) != nil
    }

    package func hasExceeded(_ terminalId: String) throws -> Bool { try exceeded(terminalId) }

    package func openBriefs(of terminalId: String) throws -> Int64 {
        try first(
            "SELECT count(*) FROM leases WHERE state = 'open' AND terminal_id = $1 AND brief = 1 "
                // Parts that other tills gave, whose ids are digests, use up nothing of it.
                + "AND used < amount AND length(lease_id) <> 64", [terminalId])?[0] ?? 0
    }

    package func restoredAt() throws -> Int64? {
        try first("SELECT value FROM meta WHERE key = 'restored_at'")?.integer(0)
    }

    package func openLeases(of kind: LeaseKind, _ subject: String) throws -> [Lease] {
        try leases("state = 'open' AND kind = $1 AND subject = $2", [kind.rawValue, subject])
    }

    package func due(
        of terminalId: String, epoch: Int64, in window: LeaseWindow, limit: Int
    ) throws -> [Lease] {
        let place = JournalPlace(terminalId: terminalId, epoch: epoch)
        return try leases(LeaseRows.due, LeaseRows.values(of: place, in: window), limit: limit)
    }

    package func expired(of terminalId: String, at now: Int64, limit: Int) throws -> [Lease] {
        try leases(
            "state = 'open' AND terminal_id = $1 AND expires_at < $2", [terminalId, now], limit: limit)
    }

    package func save(_ lease: Lease) throws {
        try run(
            LeaseRows.saving,
            [
                lease.id, lease.kind.rawValue, lease.subject, lease.terminalId, lease.storeId, lease.epoch,
                lease.isBrief, lease.amount, lease.used, lease.expiresAt, lease.version, lease.issuedAt,
                lease.state.rawValue, lease.endedAt, lease.endedBy, lease.reason, lease.recall?.amount,
                lease.recall?.until, lease.returnedThrough,
            ])
    }

    package func evidence(of place: JournalPlace) throws -> JournalEvidence? {
        try journalEvidence(of: place)
    }

    package func knownEpoch(of terminalId: String) throws -> Int64? {
        try first("SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1", [terminalId])?[0]
    }

    package func leasable(after position: Int64, limit: Int) throws -> [LeasableEntity] {
        try rows(
            "SELECT position, entity, entity_id FROM changes WHERE position > $1 "
                + "AND entity IN ('member', 'coupon') AND value IS NOT NULL ORDER BY position LIMIT $2",
            [position, limit]
        ).map { try LeasableEntity(position: $0[0], entity: $0[1], id: $0[2]) }
    }

    package func storedAmount(in storeId: String) throws -> Int64 {
        try first(LeaseRows.storedAmount, [storeId])?[0] ?? 0
    }

    package func leaseScan(of terminalId: String) throws -> LeaseScan? {
        try first("SELECT form, position FROM lease_scans WHERE terminal_id = $1", [terminalId])
            .map { try LeaseScan(form: $0[0], position: $0[1]) }
    }

    package func save(_ scan: LeaseScan, of terminalId: String) throws {
        try run(
            "INSERT INTO lease_scans (terminal_id, form, position) VALUES ($1, $2, $3) "
                + "ON CONFLICT (terminal_id) DO UPDATE SET form = $2, position = $3",
            [terminalId, scan.form, scan.position])
    }
}
