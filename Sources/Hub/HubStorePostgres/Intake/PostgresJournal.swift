import HubCore

/// Questions to a journal that the intake and the audit share.
enum PostgresJournal {
    static func gaps(above low: Int64, below high: Int64, in place: JournalPlace) -> PostgresStatement {
        PostgresStatement(
            "SELECT previous + 1, sequence - 1 FROM (SELECT sequence, LAG(sequence, 1, $3::bigint) OVER "
                + "(ORDER BY sequence) AS previous FROM (SELECT sequence FROM journal "
                + "WHERE terminal_id = $1 AND epoch = $2 AND sequence > $3 AND sequence <= $4 "
                + "ORDER BY sequence LIMIT $5) AS first) AS neighbours WHERE sequence > previous + 1 "
                + "ORDER BY sequence",
            [
                .text(place.terminalId), .integer(place.epoch), .integer(low), .integer(high),
                .integer(JournalEpoch.entriesSearched),
            ])
    }

    static func gaps(in rows: PostgresRows) throws(PostgresError) -> [ClosedRange<Int64>] {
        try rows.rows.map { row throws(PostgresError) in
            let first = try row.integer(0)
            return first...max(first, try row.integer(1))
        }
    }

    static let witnessColumns = "SELECT terminal_id, epoch, head, seen_at, state FROM heads "

    /// What was signed of each terminal's last epoch and of the one that it may begin.
    static func lastWitnesses(of terminalIds: [String]) -> PostgresStatement {
        PostgresStatement(
            witnessColumns + "WHERE terminal_id = ANY($1::text[]) AND epoch >= COALESCE((SELECT MAX(e.epoch) "
                + "FROM epochs e WHERE e.terminal_id = heads.terminal_id), 1)", [.texts(terminalIds)])
    }

    static func witnesses(in rows: PostgresRows) throws(PostgresError) -> [JournalPlace: JournalWitness] {
        var witnesses: [JournalPlace: JournalWitness] = [:]
        for row in rows.rows {
            let place = JournalPlace(terminalId: try row.text(0), epoch: try row.integer(1))
            witnesses[place] = JournalWitness(
                head: try row.text(2), seenAt: try row.integer(3), state: try row.text(4))
        }
        return witnesses
    }

    /// All epochs of each terminal: mostly one.
    static func epochs(of terminalIds: [String]) -> PostgresStatement {
        PostgresStatement(
            "SELECT terminal_id, epoch, first_sequence, acknowledged_through, "
                + "highest, low_sequence FROM epochs WHERE terminal_id = ANY($1::text[]) "
                + "ORDER BY terminal_id, epoch", [.texts(terminalIds)])
    }

    /// The epochs of each terminal, the last one last.
    static func epochs(in rows: PostgresRows) throws(PostgresError) -> [String: [JournalEpoch]] {
        var epochs: [String: [JournalEpoch]] = [:]
        for row in rows.rows {
            epochs[try row.text(0), default: []].append(
                JournalEpoch(
                    epoch: try row.integer(1), firstSequence: try row.integer(2),
                    acknowledgedThrough: try row.integer(3), highest: try row.integer(4),
                    lowSequence: row.optionalInteger(5)))
        }
        return epochs
    }

    static func entry(
        at sequence: Int64, hash: String, of terminalIds: [String]
    ) -> PostgresStatement {
        PostgresStatement(
            "SELECT m.id, m.previous_hash FROM epochs e JOIN journal j ON j.terminal_id = e.terminal_id "
                + "AND j.epoch = e.epoch AND j.sequence = $1 JOIN mutations m ON m.id = j.mutation_id "
                + "WHERE e.terminal_id = ANY($2::text[]) AND m.hash = $3 LIMIT 1",
            [.integer(sequence), .texts(terminalIds), .text(hash)])
    }
}
