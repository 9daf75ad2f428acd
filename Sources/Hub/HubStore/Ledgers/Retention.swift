package import HubCore

/// Removes what is old, as ``RetentionPeriods`` and fixed rules say.
extension Ledger {
    /// Removes what is older than its period.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: as ``remove(_:until:)``.
    package func remove(
        _ kind: RetentionKind, after periods: RetentionPeriods = RetentionPeriods(), at now: Int64
    ) async throws(LedgerError) -> Int {
        try await remove(kind, until: now - periods.milliseconds(of: kind))
    }

    /// Removes what is old of one kind, in transactions of some rows each, so that pushes do not wait for
    /// long. It ends early when its task is cancelled. Several hubs of one store may do it at once.
    /// Transactions of ``RetentionRows/chunk`` rows; rows that another hub removes are passed over.
    ///
    /// - Parameters:
    ///   - moment: what is as old or older goes, in milliseconds since 1970.
    /// - Returns: how many responses, or rows of the kind's table.
    package func remove(_ kind: RetentionKind, until moment: Int64) async throws(LedgerError) -> Int {
        if kind == .responses { return try await dropResponses(until: moment) }
        var count = 0
        while !Task.isCancelled {
            let removed = try await write(isLong: true) { session in
                .keep(try session.remove(kind, until: moment))
            }
            count += removed
            guard removed == RetentionRows.chunk else { break }
        }
        return count
    }

    /// Removes what was counted of days that no limit and no measure looks back to. One transaction: a row
    /// for each terminal and day.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func removeOldCounts(at now: Int64) async throws(LedgerError) {
        let today = TerminalUsage.day(at: now)
        try await write { session in
            try session.run([
                StoreQuery("DELETE FROM terminal_usage WHERE day < $1", of: [today - 1]),
                StoreQuery(
                    "DELETE FROM earned_points WHERE received_day < $1", of: [today - EarnedPoints.knownDays]),
                StoreQuery(
                    "DELETE FROM coupon_uses WHERE day < $1",
                    of: [TerminalUsage.day(at: now - AdvanceShares.usesCount)]),
            ])
            return .keep(())
        }
    }

    private func dropResponses(until moment: Int64) async throws(LedgerError) -> Int {
        let all = try await read(isLong: true) { session in
            try session.rows(KeptResponses.selection).map { row in
                try KeptResponses(
                    place: JournalPlace(terminalId: row["terminal_id"], epoch: row["epoch"]),
                    droppedThrough: row["dropped_through"], lowSequence: row["low_sequence"])
            }
        }
        var count = 0
        for kept in all {
            var rest: KeptResponses? = kept
            while let kept = rest, !Task.isCancelled {
                let dropped = try await write(isLong: true) { session in
                    .keep(try session.drop(kept, until: moment))
                }
                count += dropped.count
                rest = dropped.rest
            }
        }
        return count
    }
}

/// Which rows of a kind are old. Each condition is one that an index finds, or is about a small table.
private enum RetentionRows {
    /// Rows of one transaction, a few milliseconds' worth. Doubled, a push waits twice as long behind it.
    static let chunk = 500

    /// The old rows of a table.
    struct Old {
        /// The table, and the name that the condition has for it.
        let table: String
        let name: String
        /// The columns of its key; numbers have a `#` ahead.
        let key: [String]
        /// `$1` is the moment, for days its day.
        let condition: String
        /// Removes what goes with a row, by its key.
        let parts: String?

        init(
            _ table: String, _ name: String, key: String..., where condition: String, parts: String? = nil
        ) {
            self.table = table
            self.name = name
            self.key = key
            self.condition = condition
            self.parts = parts
        }
    }

    /// Nil for responses, which are no rows of their own.
    static func old(_ kind: RetentionKind) -> Old? {
        switch kind {
        case .responses: nil
        case .unnamedAttachments:
            Old(
                "attachments", "a", key: "terminal_id", "id", where: "is_named = 0 AND whole_at <= $1",
                parts: "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id = $2")
        case .alarms:
            Old(
                "alarms", "a", key: "#id", where: "acknowledged_at <= $1 AND NOT \(BackOfficeQuery.openAlarm)"
            )
        case .refusals:
            Old(
                "refusals", "r", key: "mutation_id",
                where: "received_at <= $1 AND NOT (\(BackOfficeQuery.openRefusal))")
        case .enrolmentCodes: Old("enrolment_codes", "c", key: "digest", where: "expires_at <= $1")
        case .telemetry:
            Old(
                "telemetry", "t", key: "terminal_id", "app_version",
                where: "received_at <= $1 AND EXISTS (SELECT 1 FROM telemetry n "
                    + "WHERE n.terminal_id = t.terminal_id AND n.received_at > t.received_at)")
        case .leases:
            // A terminal forgets an expired lease by itself. The feed's last row says where it ends.
            Old(
                "leases", "l", key: "lease_id", where: "state <> 'open' AND ended_at <= $1",
                parts:
                    "DELETE FROM changes WHERE entity = 'lease' AND entity_id = $1 AND deleted_at IS NOT NULL "
                    + "AND position < (SELECT MAX(position) FROM changes)")
        case .memberChanges: Old("member_changes", "m", key: "#id", where: "at <= $1")
        case .memberReads: Old("member_reads", "m", key: "terminal_id", "#day", where: "day < $1")
        case .memberVisits:
            Old("member_visits", "v", key: "member_id", "store_id", where: "seen_at <= $1")
        }
    }
}

extension StoreSession {
    /// - Returns: how many rows, at most ``RetentionRows/chunk``.
    fileprivate func remove(_ kind: RetentionKind, until moment: Int64) throws -> Int {
        guard let old = RetentionRows.old(kind) else { return 0 }
        let columns = old.key.map { $0.trimmingPrefix("#") }
        let limit = kind == .memberReads ? TerminalUsage.day(at: moment) : moment
        let keys = try rows(
            "SELECT \(columns.joined(separator: ", ")) FROM \(old.table) \(old.name) WHERE \(old.condition) "
                + "LIMIT $2" + dialect.forUpdateOfFree, [limit, RetentionRows.chunk])
        let match = columns.enumerated().map { "\($0.element) = $\($0.offset + 1)" }.joined(
            separator: " AND ")
        try run(
            keys.flatMap { row in
                let values: [any StoreConvertible] = try old.key.enumerated().map { index, column in
                    if column.hasPrefix("#") { return try row[index] as Int64 }
                    return try row[index] as String
                }
                let removal = StoreQuery("DELETE FROM \(old.table) WHERE \(match)", of: values)
                return (old.parts.map { [StoreQuery($0, of: values)] } ?? []) + [removal]
            })
        return keys.count
    }

    /// Behind the lock of the terminal's journal, since an intake may save the same epoch.
    fileprivate func drop(_ kept: KeptResponses, until moment: Int64) throws -> DroppedResponses {
        try lock(.journal(of: kept.place.terminalId))
        let rows = try rows(
            "SELECT j.sequence, m.received_at, m.id FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence < $4 "
                + "ORDER BY j.sequence LIMIT $5",
            [
                kept.place.terminalId, kept.place.epoch, kept.droppedThrough, kept.lowSequence,
                RetentionRows.chunk,
            ])
        let entries = try rows.map { try KeyRetention.Entry(sequence: $0[0], receivedAt: $0[1]) }
        let count = KeyRetention.expired(among: entries, lowSequence: kept.lowSequence, until: moment)
        guard count > 0 else { return DroppedResponses(count: 0, rest: nil) }
        let through = entries[count - 1].sequence
        try run([
            StoreQuery(
                "UPDATE mutations SET result = '' WHERE id \(dialect.isOne("$1"))",
                [.texts(try rows.prefix(count).map { try $0[2] })]),
            StoreQuery(
                "UPDATE epochs SET dropped_through = $3 WHERE terminal_id = $1 AND epoch = $2",
                of: [kept.place.terminalId, kept.place.epoch, through]),
        ])
        let isFull = count == RetentionRows.chunk
        return DroppedResponses(count: count, rest: isFull ? kept.dropped(through: through) : nil)
    }
}
