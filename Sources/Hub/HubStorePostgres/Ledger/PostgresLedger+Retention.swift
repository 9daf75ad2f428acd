internal import HubCore
package import HubStore

extension PostgresLedger {
    /// A transaction for each portion of ``KeptResponses/chunk``, behind the journal's lock; it ends early
    /// when its task is cancelled.
    package func dropOldResponses(at now: Int64) async throws(LedgerError) -> Int {
        let all = try await database.perform(isLong: true) { connection throws(PostgresError) in
            try connection.query(KeptResponses.selection).rows.map { row throws(PostgresError) in
                KeptResponses(
                    place: JournalPlace(
                        terminalId: try row.text("terminal_id"), epoch: try row.integer("epoch")),
                    droppedThrough: try row.integer("dropped_through"),
                    lowSequence: try row.integer("low_sequence"))
            }
        }
        var count = 0
        for kept in all {
            var rest: KeptResponses? = kept
            while let kept = rest, !Task.isCancelled {
                let dropped = try await database.write(isLong: true) { connection throws(PostgresError) in
                    .keep(try Self.drop(kept, at: now, on: connection))
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
        try await database.write { connection throws(PostgresError) in
            try connection.query(
                "DELETE FROM terminal_usage WHERE day < $1", [.integer(TerminalUsage.day(at: now) - 1)])
            try connection.query(
                "DELETE FROM member_changes WHERE at < $1", [.integer(now - MemberReversal.lifetime)])
            // Two hubs that prune do not wait for each other.
            let old = try connection.query(
                "SELECT terminal_id, id FROM attachments WHERE is_named = 0 AND whole_at < $1 LIMIT $2 "
                    + "FOR UPDATE SKIP LOCKED",
                [
                    .integer(now - UnfinishedUploads.lifetimeMilliseconds),
                    .integer(Int64(KeptResponses.chunk)),
                ]
            ).rows.map { row throws(PostgresError) in (try row.text("terminal_id"), try row.text("id")) }
            let names: [PostgresValue] = [.texts(old.map { $0.0 }), .texts(old.map { $0.1 })]
            let named = "(terminal_id, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))"
            try connection.query([
                PostgresStatement(
                    "DELETE FROM attachment_pieces WHERE (terminal_id, attachment_id) IN "
                        + "(SELECT * FROM unnest($1::text[], $2::text[]))", names),
                PostgresStatement("DELETE FROM attachments WHERE \(named)", names),
            ])
            return .keep(old.count)
        }
    }

    /// Behind the lock of the terminal's journal, since an intake may save the same epoch.
    private static func drop(
        _ kept: KeptResponses, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> DroppedResponses {
        let place: [PostgresValue] = [.text(kept.place.terminalId), .integer(kept.place.epoch)]
        try connection.query([PostgresLock.journals(of: [kept.place.terminalId])])
        let rows = try connection.query(
            "SELECT j.sequence, m.received_at, m.id FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence < $4 "
                + "ORDER BY j.sequence LIMIT $5",
            place + [
                .integer(kept.droppedThrough), .integer(kept.lowSequence),
                .integer(Int64(KeptResponses.chunk)),
            ]
        ).rows
        let entries = try rows.map { row throws(PostgresError) in
            KeyRetention.Entry(
                sequence: try row.integer("sequence"), receivedAt: try row.integer("received_at"))
        }
        let count = KeyRetention.expired(among: entries, lowSequence: kept.lowSequence, at: now)
        guard count > 0 else { return DroppedResponses(count: 0, rest: nil) }
        let ids = try rows.prefix(count).map { row throws(PostgresError) in try row.text("id") }
        let through = entries[count - 1].sequence
        try connection.query([
            PostgresStatement(
                "UPDATE mutations SET result = '' WHERE id = ANY($1::text[])", [.texts(ids)]),
            PostgresStatement(
                "UPDATE epochs SET dropped_through = $3 WHERE terminal_id = $1 AND epoch = $2",
                place + [.integer(through)]),
        ])
        let isFull = count == KeptResponses.chunk
        return DroppedResponses(count: count, rest: isFull ? kept.dropped(through: through) : nil)
    }
}

/// What terminals left here on their days, as rows of the database.
enum PostgresUsage {
    /// Adds to what is there; nil for nothing.
    static func adding(_ usage: [IntakeDraft.Day: TerminalUsage]) -> PostgresStatement? {
        guard !usage.isEmpty else { return nil }
        // In one order, so that two that add to the same rows do not wait for each other.
        let rows = usage.sorted { ($0.key.terminalId, $0.key.day) < ($1.key.terminalId, $1.key.day) }
        func sum(_ column: String) -> String {
            "\(column) = LEAST(u.\(column)::numeric + excluded.\(column), 9223372036854775807)::bigint"
        }
        return PostgresStatement(
            "INSERT INTO terminal_usage AS u (terminal_id, day, \(columns.joined(separator: ", "))) "
                + "SELECT * FROM unnest($1::text[], "
                + (2..<columns.count + 3).map { "$\($0)::bigint[]" }.joined(separator: ", ")
                + ") ON CONFLICT (day, terminal_id) DO UPDATE SET "
                + columns.map(sum).joined(separator: ", "),
            [.texts(of: rows) { $0.key.terminalId }, .integers(of: rows) { $0.key.day }]
                + counts.map { count in .integers(of: rows) { $0.value[keyPath: count] } })
    }

    private static let columns = [
        "mutations", "bytes", "attachments", "points", "points_adjusted", "member_changes", "new_members",
    ]

    private static var counts: [KeyPath<TerminalUsage, Int64>] {
        [
            \.mutations, \.bytes, \.attachments, \.points, \.pointsAdjusted, \.memberChanges, \.newMembers,
        ]
    }

    /// The columns of a row of `u`, in their order.
    static var selection: String { columns.map { "u.\($0)" }.joined(separator: ", ") }

    /// - Parameter first: where the columns of ``selection`` begin.
    static func usage(in row: PostgresRow, from first: Int = 0) throws(PostgresError) -> TerminalUsage {
        TerminalUsage(
            mutations: try row.integer(first), bytes: try row.integer(first + 1),
            attachments: try row.integer(first + 2), points: try row.integer(first + 3),
            pointsAdjusted: try row.integer(first + 4), memberChanges: try row.integer(first + 5),
            newMembers: try row.integer(first + 6))
    }

    /// Whether the day had room for `more`, which is counted then.
    static func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits,
        on connection: PostgresConnection
    ) throws(PostgresError) -> Bool {
        let day = IntakeDraft.Day(terminalId: terminalId, day: TerminalUsage.day(at: now))
        guard (try of(terminalId, on: day.day, on: connection) + more).fits(limits) else { return false }
        if let rows = adding([day: more]) { try connection.query([rows]) }
        return true
    }

    static func of(
        _ terminalId: String, on day: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalUsage {
        let row = try connection.query(
            "SELECT \(selection) FROM terminal_usage u WHERE day = $1 AND terminal_id = $2",
            [.integer(day), .text(terminalId)]
        ).first
        return try row.map { row throws(PostgresError) in try usage(in: row) } ?? TerminalUsage()
    }
}
