package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// One transaction behind the feed's lock, so that two hubs never lend the same twice.
    package func lend(
        _ wish: LeaseWish, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) -> Lent {
        try await lending(at: now) { procedure in try procedure.lend(wish, to: device, by: terms) }
    }

    /// One transaction behind the feed's lock.
    package func takeBack(
        _ order: LeaseReturn, from device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> [Lease] {
        try await lending(at: now) { procedure in try procedure.takeBack(order, from: device) }
    }

    /// A read by an index of the recalled ones, which are few.
    package func terminalsOwingReturns(at now: Int64) async throws(LedgerError) -> Set<String> {
        try await database.perform { connection throws(PostgresError) in
            Set(
                try connection.query(
                    "SELECT DISTINCT terminal_id FROM leases WHERE \(LeaseRows.owed) "
                        + "AND recalled_until > $1", [.integer(now)]
                ).rows.map { row throws(PostgresError) in try row.text(0) })
        }
    }

    /// Looks first whether anything is to be lent, then lends behind the feed's lock: most pulls find
    /// nothing.
    package func lendAhead(
        to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) {
        let due = try await database.perform { connection throws(PostgresError) in
            try Self.due(device, by: terms, at: now, on: connection)
        }
        guard let due else { return }
        try await lending(at: now) { procedure in try procedure.lendAhead(to: device, by: due) }
    }

    /// One transaction behind the feed's lock.
    package func release(
        _ id: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Lease? {
        try await lending(at: now) { procedure in try procedure.release(id, by: name, reason: reason) }
    }

    /// One transaction behind the feed's lock.
    package func releaseExpired(
        of terminalId: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Int {
        try await lending(at: now) { procedure in
            try procedure.releaseExpired(of: terminalId, by: name, reason: reason)
        }
    }

    /// A read of the table.
    package func leases(all: Bool) async throws(LedgerError) -> [Lease] {
        try await database.perform { connection throws(PostgresError) in
            try PostgresLeases.leases(all ? "TRUE" : "state = 'open'", []) {
                sql, values throws(PostgresError) in
                try connection.query(sql, values)
            }
        }
    }

    private func lending<Value: Sendable>(
        at now: Int64,
        _ body: @escaping @Sendable (inout LeaseProcedure<PostgresIntake>) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await database.perform { connection throws(PostgresError) in
            let clock = try PostgresClock.reserve(
                LeaseProcedure<PostgresIntake>.ticks, at: now, on: connection)
            return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                try connection.query([StoreLock.feed.statement])
                let intake = PostgresIntake(on: connection, from: clock)
                var procedure = LeaseProcedure(store: intake, clock: clock, at: now) {
                    LeaseRows.mint(at: now)
                }
                do {
                    let value = try body(&procedure)
                    _ = try intake.write()
                    return .keep(value)
                } catch let error as PostgresError {
                    throw error
                } catch {
                    throw .refused(state: "-----", message: "\(error)")
                }
            }
        }
    }

    /// The terms by which something is to be lent in advance now; nil: nothing is.
    private static func due(
        _ device: DeviceIdentity, by terms: LeaseTerms, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> LeaseTerms? {
        let row = try connection.query(
            "SELECT COALESCE((SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1), 1), "
                + "(SELECT form FROM lease_scans WHERE terminal_id = $1), "
                + "(SELECT position FROM lease_scans WHERE terminal_id = $1), "
                + "count(*), count(*) FILTER (WHERE store_id = $2) FROM terminals "
                + "WHERE revoked_at IS NULL AND token_expires_at > $3",
            [.text(device.terminalId), .text(device.storeId), .integer(now)]
        ).first
        let epoch = row?.optionalInteger(0) ?? 1
        let position = row?.optionalText(1) == terms.form(epoch: epoch) ? row?.optionalInteger(2) ?? 0 : 0
        let active = (row?.optionalInteger(3) ?? 0, row?.optionalInteger(4) ?? 0)
        return try terms.ahead(among: active) { () throws(PostgresError) in
            let place = JournalPlace(terminalId: device.terminalId, epoch: epoch)
            let evidence = try PostgresLeases.evidence(of: place) { sql, values throws(PostgresError) in
                try connection.query(sql, values)
            }
            let window = LeaseWindow(terms, by: evidence, at: now)
            return try connection.query(
                "SELECT EXISTS (SELECT 1 FROM changes WHERE position > $6 AND entity IN ('member', 'coupon') "
                    + "AND value IS NOT NULL) OR EXISTS (SELECT 1 FROM leases WHERE \(PostgresLeases.due))",
                PostgresLeases.values(of: place, in: window) + [.integer(position)]
            ).first?.optionalText(0) == "t"
        } cards: { () throws(PostgresError) in
            let lent = try connection.query(
                "SELECT (\(PostgresLeases.storedAmount)), "
                    + "COALESCE(sum(GREATEST(0, amount - used)), 0)::bigint, "
                    + "COALESCE(sum(amount - used) FILTER (WHERE terminal_id = $2 AND epoch = $3 AND \(LeaseRows.spendable)), 0)::bigint FROM leases "
                    + "WHERE state = 'open' AND kind = 'card' AND subject = $1",
                [.text(device.storeId), .text(device.terminalId), .integer(epoch)]
            ).first
            return (
                lent?.optionalInteger(0) ?? 0, lent?.optionalInteger(1) ?? 0, lent?.optionalInteger(2) ?? 0
            )
        }
    }
}

/// Leases as rows of the database.
enum PostgresLeases {
    typealias Query = (_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> PostgresRows

    /// What a store, `$1`, has of card payments that were taken offline and are not forwarded. Both states
    /// are named so that the index of undecided payments serves.
    static let storedAmount =
        "SELECT COALESCE(sum(p.amount), 0)::bigint FROM payments p JOIN terminals t ON t.id = p.terminal_id "
        + "WHERE p.state IN ('unknown', 'storedOffline') AND p.state = 'storedOffline' AND t.store_id = $1"

    /// The condition of ``LeaseTransaction/due(of:epoch:in:limit:)``.
    static let due =
        "state = 'open' AND terminal_id = $1 AND epoch = $2 AND (expires_at < $3 "
        + "OR expires_at >= $4 AND expires_at < $5 AND \(LeaseRows.spendable))"

    /// What ``due`` is queried with.
    static func values(of place: JournalPlace, in window: LeaseWindow) -> [PostgresValue] {
        [
            .text(place.terminalId), .integer(place.epoch), .integer(window.endedBefore),
            .integer(window.now), .integer(window.renewedBefore),
        ]
    }

    static func evidence(
        of place: JournalPlace, query: PostgresLeases.Query
    ) throws(PostgresError) -> JournalEvidence? {
        let row = try query(
            "SELECT h.head, h.seen_at, e.acknowledged_through, e.highest FROM epochs e "
                + "LEFT JOIN heads h ON h.terminal_id = e.terminal_id AND h.epoch = e.epoch "
                + "WHERE e.terminal_id = $1 AND e.epoch = $2",
            [.text(place.terminalId), .integer(place.epoch)]
        ).first
        guard let row else { return nil }
        return LeaseRows.evidence(
            head: row.optionalText(0), seenAt: row.optionalInteger(1),
            acknowledgedThrough: try row.integer(2), highest: try row.integer(3))
    }

    static func leases(
        _ condition: String, _ values: [PostgresValue], limit: Int? = nil,
        query: PostgresLeases.Query
    ) throws(PostgresError) -> [Lease] {
        try query(
            "SELECT \(LeaseRows.columns) FROM leases WHERE \(condition) "
                + "ORDER BY expires_at, lease_id COLLATE \"C\"" + (limit.map { " LIMIT \($0)" } ?? ""),
            values
        ).rows.map { row throws(PostgresError) in
            Lease(
                texts: (
                    try row.text(0), try row.text(1), try row.text(2), try row.text(3), try row.text(4)
                ),
                epoch: try row.integer(5), brief: try row.integer(6), amount: try row.integer(7),
                used: try row.integer(8), expiresAt: try row.integer(9), version: try row.integer(10),
                issuedAt: try row.integer(11), state: try row.text(12),
                ended: (row.optionalInteger(13), row.optionalText(14), row.optionalText(15)),
                recalled: (row.optionalInteger(16), row.optionalInteger(17)),
                returnedThrough: row.optionalInteger(18))
        }.compactMap(\.self)
    }
}

extension PostgresIntake: LeaseTransaction {
    /// Behind the feed's lock, as whatever lends is.
    func lease(_ id: String) throws -> Lease? {
        try queryAfterUnwritten([StoreLock.feed.statement])
        return try PostgresLeases.leases("lease_id = $1", [.text(id)], query: query).first
    }

    func hasLeases(_ terminalIds: [String]) throws -> Bool {
        try query(
            "SELECT 1 FROM leases WHERE state = 'open' AND terminal_id = ANY($1::text[]) LIMIT 1",
            [.texts(terminalIds)]
        ).first != nil
    }

    func openBriefs(of terminalId: String) throws -> Int64 {
        try query(
            "SELECT count(*) FROM leases WHERE state = 'open' AND terminal_id = $1 AND brief = 1 "
                + "AND used < amount", [.text(terminalId)]
        ).first?.optionalInteger(0) ?? 0
    }

    func restoredAt() throws -> Int64? {
        try query("SELECT value FROM meta WHERE key = 'restored_at'", []).first.flatMap {
            Int64(try $0.text(0))
        }
    }

    func openLeases(of kind: LeaseKind, _ subject: String) throws -> [Lease] {
        try PostgresLeases.leases(
            "state = 'open' AND kind = $1 AND subject = $2", [.text(kind.rawValue), .text(subject)],
            query: query)
    }

    func due(of terminalId: String, epoch: Int64, in window: LeaseWindow, limit: Int) throws -> [Lease] {
        let place = JournalPlace(terminalId: terminalId, epoch: epoch)
        return try PostgresLeases.leases(
            PostgresLeases.due, PostgresLeases.values(of: place, in: window), limit: limit, query: query)
    }

    func expired(of terminalId: String, at now: Int64, limit: Int) throws -> [Lease] {
        try PostgresLeases.leases(
            "state = 'open' AND terminal_id = $1 AND expires_at < $2", [.text(terminalId), .integer(now)],
            limit: limit, query: query)
    }

    func save(_ lease: Lease) throws {
        try queryAfterUnwritten([
            PostgresStatement(
                "INSERT INTO leases (\(LeaseRows.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
                    + "$11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT (lease_id) DO UPDATE SET "
                    + "amount = $8, used = $9, expires_at = $10, version = $11, state = $13, ended_at = $14, "
                    + "ended_by = $15, reason = $16, recalled = $17, recalled_until = $18, "
                    + "returned_through = $19",
                [
                    .text(lease.id), .text(lease.kind.rawValue), .text(lease.subject),
                    .text(lease.terminalId), .text(lease.storeId), .integer(lease.epoch),
                    .integer(lease.isBrief ? 1 : 0), .integer(lease.amount), .integer(lease.used),
                    .integer(lease.expiresAt), .integer(lease.version), .integer(lease.issuedAt),
                    .text(lease.state.rawValue), .integer(lease.endedAt), .text(lease.endedBy),
                    .text(lease.reason), .integer(lease.recall?.amount),
                    .integer(lease.recall?.until), .integer(lease.returnedThrough),
                ])
        ])
    }

    func evidence(of place: JournalPlace) throws -> JournalEvidence? {
        try PostgresLeases.evidence(of: place, query: query)
    }

    func owesReturn(_ terminalId: String, at now: Int64) throws -> Bool {
        try query(
            "SELECT 1 FROM leases WHERE \(LeaseRows.owed) AND recalled_until > $1 AND terminal_id = $2 "
                + "LIMIT 1", [.integer(now), .text(terminalId)]
        ).first != nil
    }

    func knownEpoch(of terminalId: String) throws -> Int64? {
        try query("SELECT MAX(epoch) FROM epochs WHERE terminal_id = $1", [.text(terminalId)]).first?
            .optionalInteger(0)
    }

    func leasable(after position: Int64, limit: Int) throws -> [LeasableEntity] {
        try query(
            "SELECT position, entity, entity_id FROM changes WHERE position > $1 "
                + "AND entity IN ('member', 'coupon') AND value IS NOT NULL ORDER BY position LIMIT $2",
            [.integer(position), .integer(Int64(limit))]
        ).rows.map { row in
            LeasableEntity(position: try row.integer(0), entity: try row.text(1), id: try row.text(2))
        }
    }

    func storedAmount(in storeId: String) throws -> Int64 {
        try query(PostgresLeases.storedAmount, [.text(storeId)]).first?.optionalInteger(0) ?? 0
    }

    func leaseScan(of terminalId: String) throws -> LeaseScan? {
        try query(
            "SELECT form, position FROM lease_scans WHERE terminal_id = $1", [.text(terminalId)]
        ).first.map { LeaseScan(form: try $0.text(0), position: try $0.integer(1)) }
    }

    func save(_ scan: LeaseScan, of terminalId: String) throws {
        _ = try query(
            "INSERT INTO lease_scans (terminal_id, form, position) VALUES ($1, $2, $3) "
                + "ON CONFLICT (terminal_id) DO UPDATE SET form = $2, position = $3",
            [.text(terminalId), .text(scan.form), .integer(scan.position)])
    }
}
