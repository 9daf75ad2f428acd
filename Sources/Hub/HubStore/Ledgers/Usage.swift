package import HubCore

extension StoreSession {
    package func usage(of terminalId: String, on day: Int64) throws -> TerminalUsage {
        try first(
            "SELECT \(TerminalUsage.columns.joined(separator: ", ")) FROM terminal_usage "
                + "WHERE day = $1 AND terminal_id = $2", [day, terminalId]
        ).map { row in
            try TerminalUsage(
                mutations: row[0], bytes: row[1], attachments: row[2], points: row[3], pointsAdjusted: row[4],
                memberChanges: row[5], newMembers: row[6], visits: row[7])
        } ?? TerminalUsage()
    }

    /// Whether the day had room for `more`, which is counted then.
    package func count(
        _ more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) throws -> Bool {
        let day = TerminalUsage.day(at: now)
        guard try (usage(of: terminalId, on: day) + more).fits(limits) else { return false }
        try add(more, of: terminalId, on: day)
        return true
    }

    package func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) throws {
        guard usage != TerminalUsage() else { return }
        try run([
            StoreQuery(
                TerminalUsage.addition,
                [.integer(day), .text(terminalId)]
                    + TerminalUsage.counts.map { .integer(usage[keyPath: $0]) })
        ])
    }
}

extension Ledger {
    /// Whether a terminal's quota of the day has room for `more`. A read that waits for no writer.
    package func hasRoom(
        for more: TerminalUsage, of terminalId: String, at now: Int64, within limits: IntakeLimits
    ) async throws(LedgerError) -> Bool {
        try await read { session in
            (try session.usage(of: terminalId, on: TerminalUsage.day(at: now)) + more).fits(limits)
        }
    }

    /// Counts what a terminal has cost in its quota of the day, whether that had room or not.
    package func add(
        _ usage: TerminalUsage, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await change { session in
            try session.add(usage, of: terminalId, on: TerminalUsage.day(at: now))
        }
    }
}

extension TerminalUsage {
    /// Of the table `terminal_usage`, in the order of ``counts``.
    package static let columns = [
        "mutations", "bytes", "attachments", "points", "points_adjusted", "member_changes", "new_members",
        "visits",
    ]

    package static var counts: [KeyPath<TerminalUsage, Int64>] {
        [
            \.mutations, \.bytes, \.attachments, \.points, \.pointsAdjusted, \.memberChanges, \.newMembers,
            \.visits,
        ]
    }

    /// A sum that no number holds any more stays at the largest.
    package static let adding = columns.map { column in
        "\(column) = CASE WHEN u.\(column) > \(Int64.max) - excluded.\(column) THEN \(Int64.max) "
            + "ELSE u.\(column) + excluded.\(column) END"
    }.joined(separator: ", ")

    fileprivate static let addition =
        "INSERT INTO terminal_usage AS u (day, terminal_id, \(columns.joined(separator: ", "))) VALUES ("
        + (1...columns.count + 2).map { "$\($0)" }.joined(separator: ", ")
        + ") ON CONFLICT (day, terminal_id) DO UPDATE SET \(adding)"
}
