internal import DirectSQLite
internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// One write transaction.
    package func lend(
        _ wish: LeaseWish, to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) -> Lent {
        try await lending(at: now) { procedure in try procedure.lend(wish, to: device, by: terms) }
    }

    /// One write transaction.
    package func takeBack(
        _ order: LeaseReturn, from device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) -> [Lease] {
        try await lending(at: now) { procedure in try procedure.takeBack(order, from: device) }
    }

    /// A read by an index of the recalled ones, which are few.
    package func terminalsOwingReturns(at now: Int64) async throws(LedgerError) -> Set<String> {
        try await file.read { db in
            Set(
                try db.all(
                    "SELECT DISTINCT terminal_id FROM leases WHERE \(LeaseRows.owed) AND recalled_until > ?",
                    [now]
                ).map { $0[0] as String })
        }
    }

    /// Looks first whether anything is to be lent, then lends in one write transaction: most pulls find
    /// nothing.
    package func lendAhead(
        to device: DeviceIdentity, by terms: LeaseTerms, at now: Int64
    ) async throws(LedgerError) {
        let due = try await file.read { db in try Self.due(device, by: terms, at: now, in: db) }
        guard let due else { return }
        try await lending(at: now) { procedure in try procedure.lendAhead(to: device, by: due) }
    }

    /// One write transaction.
    package func release(
        _ id: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Lease? {
        try await lending(at: now) { procedure in try procedure.release(id, by: name, reason: reason) }
    }

    /// One write transaction.
    package func releaseExpired(
        of terminalId: String, by name: String, reason: String, at now: Int64
    ) async throws(LedgerError) -> Int {
        try await lending(at: now) { procedure in
            try procedure.releaseExpired(of: terminalId, by: name, reason: reason)
        }
    }

    /// A read of the table.
    package func leases(all: Bool) async throws(LedgerError) -> [Lease] {
        try await file.read { db in
            try SQLiteIntake(db: db).leases(all ? "TRUE" : "state = 'open'", []) { _ in }
        }
    }

    private func lending<Value: Sendable>(
        at now: Int64,
        _ body: @escaping @Sendable (inout LeaseProcedure<SQLiteIntake>) throws -> Value
    ) async throws(LedgerError) -> Value {
        try await writer.write { db in
            let intake = SQLiteIntake(db: db)
            var procedure = LeaseProcedure(store: intake, clock: try intake.clock(), at: now) {
                LeaseRows.mint(at: now)
            }
            return .keep(try body(&procedure))
        }
    }

    /// The terms by which something is to be lent in advance now; nil: nothing is.
    private static func due(
        _ device: DeviceIdentity, by terms: LeaseTerms, at now: Int64, in db: Database
    ) throws -> LeaseTerms? {
        let active = try db.first(
            "SELECT count(*), COALESCE(sum(store_id = ?), 0) FROM terminals "
                + "WHERE revoked_at IS NULL AND token_expires_at > ?", [device.storeId, now])
        let intake = SQLiteIntake(db: db)
        let epoch = try intake.knownEpoch(of: device.terminalId) ?? 1
        return try terms.ahead(among: (active?[0] ?? 0, active?[1] ?? 0)) {
            let scan = try intake.leaseScan(of: device.terminalId)
            let position = scan?.form == terms.form(epoch: epoch) ? scan?.position ?? 0 : 0
            if try !intake.leasable(after: position, limit: 1).isEmpty { return true }
            let place = JournalPlace(terminalId: device.terminalId, epoch: epoch)
            let window = LeaseWindow(terms, by: try intake.evidence(of: place), at: now)
            return try !intake.due(of: device.terminalId, epoch: epoch, in: window, limit: 1).isEmpty
        } cards: {
            let lent = try db.first(
                "SELECT COALESCE(sum(max(0, amount - used)), 0), COALESCE(sum(CASE WHEN terminal_id = ? "
                    + "AND epoch = ? AND \(LeaseRows.spendable) THEN amount - used ELSE 0 END), 0) "
                    + "FROM leases WHERE state = 'open' AND kind = 'card' AND subject = ?",
                [device.terminalId, epoch, device.storeId])
            return (try intake.storedAmount(in: device.storeId), lent?[0] ?? 0, lent?[1] ?? 0)
        }
    }
}

extension SQLiteIntake: LeaseTransaction {
    func lease(_ id: String) throws -> Lease? {
        try leases("lease_id = ?", []) { $0.add(id) }.first
    }

    func hasLeases(_ terminalIds: [String]) throws -> Bool {
        try terminalIds.contains {
            try db.first("SELECT 1 FROM leases WHERE state = 'open' AND terminal_id = ? LIMIT 1", [$0]) != nil
        }
    }

    func openBriefs(of terminalId: String) throws -> Int64 {
        try db.first(
            "SELECT count(*) FROM leases WHERE state = 'open' AND terminal_id = ? AND brief = 1 "
                + "AND used < amount", [terminalId])?[0] ?? 0
    }

    func restoredAt() throws -> Int64? {
        let row = try db.first("SELECT value FROM meta WHERE key = 'restored_at'", [])
        return row.flatMap { Int64($0["value"] as String) }
    }

    func openLeases(of kind: LeaseKind, _ subject: String) throws -> [Lease] {
        try leases("state = 'open' AND kind = ? AND subject = ?", []) { row in
            row.add(kind.rawValue)
            row.add(subject)
        }
    }

    func due(of terminalId: String, epoch: Int64, in window: LeaseWindow, limit: Int) throws -> [Lease] {
        try leases(
            "state = 'open' AND terminal_id = ? AND epoch = ? AND (expires_at < ? "
                + "OR expires_at >= ? AND expires_at < ? AND \(LeaseRows.spendable))", [limit]
        ) { row in
            row.add(terminalId)
            row.add(epoch)
            row.add(window.endedBefore)
            row.add(window.now)
            row.add(window.renewedBefore)
        }
    }

    func expired(of terminalId: String, at now: Int64, limit: Int) throws -> [Lease] {
        try leases("state = 'open' AND terminal_id = ? AND expires_at < ?", [limit]) { row in
            row.add(terminalId)
            row.add(now)
        }
    }

    fileprivate func leases(
        _ condition: String, _ limit: [Int], _ bind: (inout Bindings) -> Void
    ) throws -> [Lease] {
        let rows = try DirectStatement(
            "SELECT \(LeaseRows.columns) FROM leases WHERE \(condition) ORDER BY expires_at, lease_id"
                + (limit.first.map { " LIMIT \($0)" } ?? ""), in: db
        ).all(bind) { row in
            Lease(
                texts: (row.text(0), row.text(1), row.text(2), row.text(3), row.text(4)),
                epoch: row.integer(5), brief: row.integer(6), amount: row.integer(7), used: row.integer(8),
                expiresAt: row.integer(9), version: row.integer(10), issuedAt: row.integer(11),
                state: row.text(12),
                ended: (row.optionalInteger(13), row.optionalText(14), row.optionalText(15)),
                recalled: (row.optionalInteger(16), row.optionalInteger(17)),
                returnedThrough: row.optionalInteger(18))
        }
        return rows.compactMap(\.self)
    }

    func save(_ lease: Lease) throws {
        try DirectStatement(
            "INSERT OR REPLACE INTO leases (\(LeaseRows.columns)) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: db
        ).run { row in
            for text in [lease.id, lease.kind.rawValue, lease.subject, lease.terminalId, lease.storeId] {
                row.add(text)
            }
            row.add(lease.epoch)
            row.add(lease.isBrief ? 1 : 0)
            for number in [lease.amount, lease.used, lease.expiresAt, lease.version, lease.issuedAt] {
                row.add(number)
            }
            row.add(lease.state.rawValue)
            row.add(lease.endedAt)
            row.add(lease.endedBy)
            row.add(lease.reason)
            row.add(lease.recall?.amount)
            row.add(lease.recall?.until)
            row.add(lease.returnedThrough)
        }
    }

    func evidence(of place: JournalPlace) throws -> JournalEvidence? {
        try db.first(
            "SELECT h.head, h.seen_at, e.acknowledged_through, e.highest FROM epochs e "
                + "LEFT JOIN heads h ON h.terminal_id = e.terminal_id AND h.epoch = e.epoch "
                + "WHERE e.terminal_id = ? AND e.epoch = ?", [place.terminalId, place.epoch]
        ).map {
            LeaseRows.evidence(head: $0[0], seenAt: $0[1], acknowledgedThrough: $0[2], highest: $0[3])
        }
    }

    func owesReturn(_ terminalId: String, at now: Int64) throws -> Bool {
        try db.first(
            "SELECT 1 FROM leases WHERE \(LeaseRows.owed) AND recalled_until > ? AND terminal_id = ?",
            [now, terminalId]) != nil
    }

    func knownEpoch(of terminalId: String) throws -> Int64? { try lastEpoch(of: terminalId)?.epoch }

    func leasable(after position: Int64, limit: Int) throws -> [LeasableEntity] {
        try db.all(
            "SELECT position, entity, entity_id FROM changes WHERE position > ? "
                + "AND entity IN ('member', 'coupon') AND value IS NOT NULL ORDER BY position LIMIT ?",
            [position, limit]
        ).map { LeasableEntity(position: $0[0], entity: $0[1], id: $0[2]) }
    }

    func storedAmount(in storeId: String) throws -> Int64 {
        try db.first(
            "SELECT COALESCE(sum(p.amount), 0) FROM payments p JOIN terminals t ON t.id = p.terminal_id "
                + "WHERE p.state IN ('unknown', 'storedOffline') AND p.state = 'storedOffline' "
                + "AND t.store_id = ?", [storeId])?[0] ?? 0
    }

    func leaseScan(of terminalId: String) throws -> LeaseScan? {
        try db.first("SELECT form, position FROM lease_scans WHERE terminal_id = ?", [terminalId]).map {
            LeaseScan(form: $0[0], position: $0[1])
        }
    }

    func save(_ scan: LeaseScan, of terminalId: String) throws {
        try db.run(
            "INSERT OR REPLACE INTO lease_scans (terminal_id, form, position) VALUES (?, ?, ?)",
            [terminalId, scan.form, scan.position])
    }
}
