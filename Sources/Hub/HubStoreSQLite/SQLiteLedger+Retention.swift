internal import GRDB
internal import HubCore
package import HubStore

extension SQLiteLedger {
    /// A transaction for each portion of ``KeptResponses/chunk``, with pushes between them; it ends early
    /// when its task is cancelled.
    package func dropOldResponses(at now: Int64) async throws(LedgerError) -> Int {
        let all = try await file.read { db in
            try db.all(KeptResponses.selection, []).map { row in
                KeptResponses(
                    place: JournalPlace(terminalId: row["terminal_id"], epoch: row["epoch"]),
                    droppedThrough: row["dropped_through"],
                    lowSequence: row["low_sequence"])
            }
        }
        var count = 0
        for kept in all {
            var rest: KeptResponses? = kept
            while let kept = rest, !Task.isCancelled {
                let dropped = try await writer.write { db in
                    .keep(try Self.drop(kept, at: now, in: db))
                }
                count += dropped.count
                rest = dropped.rest
            }
        }
        return count
    }

    /// One transaction of ``KeptResponses/chunk`` attachments at most; call it again until it returns fewer.
    package func dropUnnamedAttachments(at now: Int64) async throws(LedgerError) -> Int {
        try await writer.write { db in
            try db.run(
                "DELETE FROM terminal_usage WHERE day < ?", [TerminalUsage.day(at: now) - 1])
            try db.run("DELETE FROM member_changes WHERE at < ?", [now - MemberReversal.lifetime])
            let old = try db.all(
                "SELECT terminal_id, id FROM attachments WHERE is_named = 0 AND whole_at < ? LIMIT ?",
                [now - UnfinishedUploads.lifetimeMilliseconds, KeptResponses.chunk])
            for row in old {
                let name: [any DatabaseValueConvertible] = [
                    row["terminal_id"] as String, row["id"] as String,
                ]
                try db.run(
                    "DELETE FROM attachment_pieces WHERE terminal_id = ? AND attachment_id = ?",
                    StatementArguments(name))
                try db.run(
                    "DELETE FROM attachments WHERE terminal_id = ? AND id = ?", StatementArguments(name))
            }
            return .keep(old.count)
        }
    }

    private static func drop(_ kept: KeptResponses, at now: Int64, in db: Database) throws -> DroppedResponses
    {
        let rows = try db.all(
            "SELECT j.sequence, m.received_at, m.id FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = ? AND j.epoch = ? AND j.sequence > ? AND j.sequence < ? "
                + "ORDER BY j.sequence LIMIT ?",
            [
                kept.place.terminalId, kept.place.epoch, kept.droppedThrough, kept.lowSequence,
                KeptResponses.chunk,
            ])
        let entries = rows.map { KeyRetention.Entry(sequence: $0["sequence"], receivedAt: $0["received_at"]) }
        let count = KeyRetention.expired(among: entries, lowSequence: kept.lowSequence, at: now)
        guard count > 0 else { return DroppedResponses(count: 0, rest: nil) }
        for row in rows.prefix(count) {
            try db.run("UPDATE mutations SET result = '' WHERE id = ?", [row["id"] as String])
        }
        let through = entries[count - 1].sequence
        try db.run(
            "UPDATE epochs SET dropped_through = ? WHERE terminal_id = ? AND epoch = ?",
            [through, kept.place.terminalId, kept.place.epoch])
        let isFull = count == KeptResponses.chunk
        return DroppedResponses(count: count, rest: isFull ? kept.dropped(through: through) : nil)
    }
}

extension Database {
    func usage(of terminalId: String, on day: Int64) throws -> TerminalUsage {
        try first(
            "SELECT mutations, bytes, attachments, points, points_adjusted, member_changes, new_members "
                + "FROM terminal_usage WHERE day = ? AND terminal_id = ?", [day, terminalId]
        ).map {
            TerminalUsage(
                mutations: $0[0], bytes: $0[1], attachments: $0[2], points: $0[3], pointsAdjusted: $0[4],
                memberChanges: $0[5], newMembers: $0[6])
        } ?? TerminalUsage()
    }

    /// Whether the day had room for `more`, which is counted then.
    func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) throws -> Bool {
        let day = TerminalUsage.day(at: now)
        guard try (usage(of: terminalId, on: day) + more).fits(limits) else { return false }
        try add(more, of: terminalId, on: day)
        return true
    }

    func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) throws {
        guard usage != TerminalUsage() else { return }
        let sum = try self.usage(of: terminalId, on: day) + usage
        try run(
            "INSERT OR REPLACE INTO terminal_usage (day, terminal_id, mutations, bytes, attachments, points, "
                + "points_adjusted, member_changes, new_members) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                day, terminalId, sum.mutations, sum.bytes, sum.attachments, sum.points, sum.pointsAdjusted,
                sum.memberChanges, sum.newMembers,
            ])
    }
}
