internal import HubCore

extension SQLLedger {
    /// A transaction for each portion of ``KeptResponses/chunk``, with pushes between them; it ends early
    /// when its task is cancelled.
    package func dropOldResponses(at now: Int64) async throws(LedgerError) -> Int {
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
                    .keep(try session.drop(kept, at: now))
                }
                count += dropped.count
                rest = dropped.rest
            }
        }
        return count
    }

    /// One transaction of ``KeptResponses/chunk`` attachments at most; rows that another hub deletes are
    /// passed over.
    package func dropUnnamedAttachments(at now: Int64) async throws(LedgerError) -> Int {
        try await write { session in
            let old = try session.run([
                StoreQuery(
                    "DELETE FROM terminal_usage WHERE day < $1", of: [TerminalUsage.day(at: now) - 1]),
                StoreQuery(
                    "DELETE FROM earned_points WHERE received_day < $1",
                    of: [TerminalUsage.day(at: now) - EarnedPoints.knownDays]),
                StoreQuery("DELETE FROM member_changes WHERE at < $1", of: [now - MemberReversal.lifetime]),
                StoreQuery(
                    "SELECT terminal_id, id FROM attachments WHERE is_named = 0 AND whole_at < $1 LIMIT $2"
                        + session.dialect.forUpdateOfFree,
                    of: [now - UnfinishedUploads.lifetimeMilliseconds, KeptResponses.chunk]),
            ])
            try session.run(
                old.flatMap { row in
                    let name: [any StoreConvertible] = try [row[0] as String, row[1] as String]
                    return [
                        StoreQuery(
                            "DELETE FROM attachment_pieces WHERE terminal_id = $1 AND attachment_id = $2",
                            of: name),
                        StoreQuery("DELETE FROM attachments WHERE terminal_id = $1 AND id = $2", of: name),
                    ]
                })
            return .keep(old.count)
        }
    }
}

extension StoreSession {
    /// Behind the lock of the terminal's journal, since an intake may save the same epoch.
    fileprivate func drop(_ kept: KeptResponses, at now: Int64) throws -> DroppedResponses {
        try lock(.journal(of: kept.place.terminalId))
        let rows = try rows(
            "SELECT j.sequence, m.received_at, m.id FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence < $4 "
                + "ORDER BY j.sequence LIMIT $5",
            [
                kept.place.terminalId, kept.place.epoch, kept.droppedThrough, kept.lowSequence,
                KeptResponses.chunk,
            ])
        let entries = try rows.map { try KeyRetention.Entry(sequence: $0[0], receivedAt: $0[1]) }
        let count = KeyRetention.expired(among: entries, lowSequence: kept.lowSequence, at: now)
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
        let isFull = count == KeptResponses.chunk
        return DroppedResponses(count: count, rest: isFull ? kept.dropped(through: through) : nil)
    }
}
