package import HubCore

/// Keeps what operators did, each entry chained to the one before it; nothing of it is ever changed.
extension Ledger {
    /// Appends acts in their order, in one transaction. Behind a lock over all hubs: each entry has the hash
    /// of the one before it.
    package func keepActs(_ acts: [OperatorAct]) async throws(LedgerError) {
        try await write { session in
            try session.lock(.operatorLog)
            let last = try session.first(
                "SELECT sequence, hash FROM operator_log ORDER BY sequence DESC LIMIT 1")
            var sequence: Int64 = try last?["sequence"] ?? 0
            var hash: String = try last?["hash"] ?? LoggedAct.firstHash
            var insertions: [StoreQuery] = []
            for act in acts {
                let entry = LoggedAct(act, after: sequence, hash: hash)
                (sequence, hash) = (entry.sequence, entry.hash)
                insertions.append(
                    StoreQuery(
                        """
                        INSERT INTO operator_log
                            (sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash)
                            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                        """,
                        of: [
                            entry.sequence, act.at, act.name, act.role.rawValue, act.action, act.subject,
                            act.detail, act.outcome.rawValue, entry.previousHash, entry.hash,
                        ]))
            }
            try session.run(insertions)
            return .keep(())
        }
    }

    /// The entries behind a number, oldest first; 0 for the beginning. A read by primary key.
    ///
    /// - Parameter limit: from 1 on.
    package func loggedActs(after sequence: Int64, limit: Int) async throws(LedgerError) -> [LoggedAct] {
        try await read { session in
            try session.rows(
                """
                SELECT sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash
                    FROM operator_log WHERE sequence > $1 ORDER BY sequence LIMIT $2
                """, [sequence, limit]
            ).map { row in
                try LoggedAct(
                    sequence: row[0],
                    act: OperatorAct(
                        at: row[1], name: row[2], role: CallerRole(rawValue: row[3]) ?? .anybody,
                        action: row[4], subject: row[5], detail: row[6],
                        outcome: OperatorAct.Outcome(rawValue: row[7]) ?? .refused),
                    previousHash: row[8], hash: row[9])
            }
        }
    }

    /// How many entries there are. The number of the last entry, since none is ever removed.
    package func loggedActCount() async throws(LedgerError) -> Int64 {
        try await read { session in
            try session.first("SELECT COALESCE(MAX(sequence), 0) FROM operator_log")?[0] ?? 0
        }
    }
}
