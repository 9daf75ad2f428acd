package import HubCore
package import HubStore

extension PostgresLedger {
    /// Behind a lock over all hubs: each entry has the hash of the one before it.
    package func keepActs(_ acts: [OperatorAct]) async throws(LedgerError) {
        try await database.write { connection throws(PostgresError) in
            try connection.query([PostgresLock.operatorLog.statement])
            let last = try connection.query(
                "SELECT sequence, hash FROM operator_log ORDER BY sequence DESC LIMIT 1"
            ).first
            var sequence = try last?.integer("sequence") ?? 0
            var hash = try last?.text("hash") ?? LoggedAct.firstHash
            for act in acts {
                let entry = LoggedAct(act, after: sequence, hash: hash)
                (sequence, hash) = (entry.sequence, entry.hash)
                try connection.query(
                    """
                    INSERT INTO operator_log
                        (sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash)
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                    """,
                    [
                        .integer(entry.sequence), .integer(act.at), .text(act.name),
                        .text(act.role.rawValue), .text(act.action), .text(act.subject), .text(act.detail),
                        .text(act.outcome.rawValue), .text(entry.previousHash), .text(entry.hash),
                    ])
            }
            return .keep(())
        }
    }

    /// A read by primary key.
    package func loggedActs(after sequence: Int64, limit: Int) async throws(LedgerError) -> [LoggedAct] {
        try await database.perform { connection throws(PostgresError) in
            try connection.query(
                """
                SELECT sequence, at, name, role, action, subject, detail, outcome, previous_hash, hash
                    FROM operator_log WHERE sequence > $1 ORDER BY sequence LIMIT $2
                """, [.integer(sequence), .integer(Int64(limit))]
            ).rows.map { row throws(PostgresError) in
                LoggedAct(
                    sequence: try row.integer("sequence"),
                    act: OperatorAct(
                        at: try row.integer("at"), name: try row.text("name"),
                        role: CallerRole(rawValue: try row.text("role")) ?? .anybody,
                        action: try row.text("action"), subject: try row.text("subject"),
                        detail: try row.text("detail"),
                        outcome: OperatorAct.Outcome(rawValue: try row.text("outcome")) ?? .refused),
                    previousHash: try row.text("previous_hash"), hash: try row.text("hash"))
            }
        }
    }

    /// The number of the last entry, since none is ever removed.
    package func loggedActCount() async throws(LedgerError) -> Int64 {
        try await database.perform { connection throws(PostgresError) in
            try connection.query("SELECT COALESCE(MAX(sequence), 0) FROM operator_log").first?
                .optionalInteger(0) ?? 0
        }
    }
}
