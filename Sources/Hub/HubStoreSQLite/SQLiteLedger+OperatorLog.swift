internal import GRDB
package import HubCore
package import HubStore

extension SQLiteLedger {
    /// One write transaction: the last entry is read in it.
    package func keepActs(_ acts: [OperatorAct]) async throws(LedgerError) {
        try await writer.write { db in
            let last = try db.first(
                "SELECT sequence, hash FROM operator_log ORDER BY sequence DESC LIMIT 1", [])
            var (sequence, hash): (Int64, String) = (last?[0] ?? 0, last?[1] ?? LoggedAct.firstHash)
            for act in acts {
                let entry = LoggedAct(act, after: sequence, hash: hash)
                (sequence, hash) = (entry.sequence, entry.hash)
                try db.run(
                    """
                    INSERT INTO operator_log
                        (sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        entry.sequence, act.at, act.name, act.role.rawValue, act.action, act.subject,
                        act.detail, act.outcome.rawValue, entry.previousHash, entry.hash,
                    ])
            }
            return .keep(())
        }
    }

    /// A read by primary key.
    package func loggedActs(after sequence: Int64, limit: Int) async throws(LedgerError) -> [LoggedAct] {
        try await file.read { db in
            try db.all(
                """
                SELECT sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash
                    FROM operator_log WHERE sequence > ? ORDER BY sequence LIMIT ?
                """, [sequence, limit]
            ).map { row in
                LoggedAct(
                    sequence: row["sequence"],
                    act: OperatorAct(
                        at: row["at"], name: row["name"], role: CallerRole(rawValue: row["role"]) ?? .anybody,
                        action: row["action"], subject: row["subject"], detail: row["detail"],
                        outcome: OperatorAct.Outcome(rawValue: row["outcome"]) ?? .refused),
                    previousHash: row["previous_hash"], hash: row["hash"])
            }
        }
    }

    /// The number of the last entry, since none is ever removed.
    package func loggedActCount() async throws(LedgerError) -> Int64 {
        try await file.read { db in
            try db.first("SELECT COALESCE(MAX(sequence), 0) FROM operator_log", [])?[0] ?? 0
        }
    }
}
