public import HubCore
internal import GRDB

extension SQLiteLedger {
    public func raise(_ alarm: Alarm) async throws(LedgerError) {
        try await writer.write { db in .keep(try db.raise(alarm)) }
    }

    public func alarms(terminal: String?, limit: Int) async throws(LedgerError) -> [RaisedAlarm] {
        try await file.read { db in
            try db.all(
                "SELECT kind, terminal_id, mutation_id, detail, raised_at, last_at, count FROM alarms "
                    + "WHERE ?1 IS NULL OR terminal_id = ?1 ORDER BY last_at DESC, id DESC LIMIT ?2",
                [terminal, limit]
            ).map { row in
                RaisedAlarm(
                    first: Alarm(
                        kind: row[0], terminalId: row[1], mutationId: row[2], detail: row[3], at: row[4]),
                    lastAt: row[5], count: row[6])
            }
        }
    }
}

extension Database {
    func raise(_ alarm: Alarm) throws {
        try run(
            "INSERT INTO alarms (kind, terminal_id, day, mutation_id, detail, raised_at, last_at, count) "
                + "VALUES (?, ?, ?, ?, ?, ?6, ?6, 1) ON CONFLICT (kind, terminal_id, day) "
                + "DO UPDATE SET last_at = MAX(last_at, excluded.last_at), count = count + 1",
            [alarm.kind, alarm.terminalId, alarm.day, alarm.mutationId, alarm.detail, alarm.at])
    }
}
