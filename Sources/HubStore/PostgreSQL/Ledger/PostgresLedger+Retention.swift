internal import HubCore

extension PostgresLedger {
    public func dropOldAnswers(at now: Int64) async throws(LedgerError) -> Int {
        let shelves = try await database.ask(isLong: true) { connection throws(PostgresError) in
            try connection.ask(AnswerShelf.selection).rows.map { row throws(PostgresError) in
                AnswerShelf(
                    place: JournalPlace(terminalId: try row.text(0), epoch: try row.integer(1)),
                    droppedThrough: try row.integer(2), lowSequence: try row.integer(3))
            }
        }
        var count = 0
        for shelf in shelves {
            var rest: AnswerShelf? = shelf
            while let shelf = rest, !Task.isCancelled {
                let dropped = try await database.write(isLong: true) { connection throws(PostgresError) in
                    .keep(try Self.drop(shelf, at: now, on: connection))
                }
                count += dropped.count
                rest = dropped.rest
            }
        }
        return count
    }

    /// Behind the lock of the terminal's journal, since an intake may save the same epoch.
    private static func drop(
        _ shelf: AnswerShelf, at now: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> DroppedAnswers {
        let place: [PostgresValue] = [.text(shelf.place.terminalId), .integer(shelf.place.epoch)]
        try connection.ask([PostgresLock.journals(of: [shelf.place.terminalId])])
        let rows = try connection.ask(
            "SELECT j.sequence, m.received_at, m.id FROM journal j JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE j.terminal_id = $1 AND j.epoch = $2 AND j.sequence > $3 AND j.sequence < $4 "
                + "ORDER BY j.sequence LIMIT $5",
            place + [
                .integer(shelf.droppedThrough), .integer(shelf.lowSequence),
                .integer(Int64(AnswerShelf.chunk)),
            ]
        ).rows
        let entries = try rows.map { row throws(PostgresError) in
            KeyRetention.Entry(sequence: try row.integer(0), receivedAt: try row.integer(1))
        }
        let count = KeyRetention.expired(among: entries, lowSequence: shelf.lowSequence, at: now)
        guard count > 0 else { return DroppedAnswers(count: 0, rest: nil) }
        let ids = try rows.prefix(count).map { row throws(PostgresError) in try row.text(2) }
        let through = entries[count - 1].sequence
        try connection.ask([
            PostgresStatement(
                "UPDATE mutations SET result = '' WHERE id = ANY($1::text[])", [.texts(ids)]),
            PostgresStatement(
                "UPDATE epochs SET dropped_through = $3 WHERE terminal_id = $1 AND epoch = $2",
                place + [.integer(through)]),
        ])
        let isFull = count == AnswerShelf.chunk
        return DroppedAnswers(count: count, rest: isFull ? shelf.dropped(through: through) : nil)
    }
}
