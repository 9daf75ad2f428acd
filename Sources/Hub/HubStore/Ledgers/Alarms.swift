package import HubCore
internal import HubProtocol

/// Keeps what a person should look at. Alarms are raised by the intake and by the checks of a terminal's
/// signatures and keys.
extension Ledger {
    /// Raises an alarm. One of the same kind and terminal on the same day is counted and not kept again, so
    /// that no terminal fills the store with them. One row for kind, terminal and day: a repetition raises
    /// its count.
    package func raise(_ alarm: Alarm) async throws(LedgerError) {
        try await change { session in _ = try session.run([alarm.raising]) }
    }

    /// The newest alarms first, of one terminal or of all. The newest repetition first; nil in `terminal`
    /// means all terminals.
    ///
    /// - Parameter limit: from 1 on.
    package func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm] {
        try await read { session in
            try session.rows(
                "SELECT kind, terminal_id, mutation_id, detail, raised_at, last_at, count FROM alarms "
                    + "WHERE CAST($1 AS TEXT) IS NULL OR terminal_id = $1 "
                    + "ORDER BY last_at DESC, id DESC LIMIT $2", [terminal, limit]
            ).map { row in
                try RaisedAlarm(
                    first: Alarm(
                        storedKind: row[0], terminalId: row[1], mutationId: row[2], detail: row[3],
                        at: row[4]),
                    lastAt: row[5], count: row[6])
            }
        }
    }

    /// Notes a head that came without mutations, and raises what it shows. One transaction; the alarms that
    /// the head raises are in it.
    ///
    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    package func note(
        _ claim: HeadClaim, of device: DeviceIdentity, at now: Int64
    ) async throws(LedgerError) {
        let request = IntakeRequest(
            device: device, epoch: nil, lowSequence: nil, mutations: [], receivedAt: now, head: claim)
        try await intake(for: .head(request), at: now) { intake in
            try intake.note(claim, of: device.terminalId, at: now)
        }
    }
}

extension StoreIntake {
    fileprivate func note(_ claim: HeadClaim, of terminalId: String, at now: Int64) throws {
        try HeadRecorder(store: self, terminalId: terminalId, now: now).note(
            claim, beside: lastEpoch(of: terminalId))
    }
}

extension Alarm {
    package var raising: StoreQuery {
        StoreQuery(
            "INSERT INTO alarms (kind, terminal_id, day, mutation_id, detail, raised_at, last_at, count) "
                + "VALUES ($1, $2, $3, $4, $5, $6, $6, 1) ON CONFLICT (kind, terminal_id, day) "
                + "DO UPDATE SET count = alarms.count + 1, last_at = CASE "
                + "WHEN alarms.last_at < excluded.last_at THEN excluded.last_at ELSE alarms.last_at END",
            of: [kind, terminalId, day, mutationId, detail, at])
    }
}
