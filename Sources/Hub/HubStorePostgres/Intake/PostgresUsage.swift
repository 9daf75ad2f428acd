internal import HubCore
internal import HubStore

/// What terminals left here on their days, as rows of the database.
enum PostgresUsage {
    /// Adds to what is there; nil for nothing.
    static func adding(_ usage: [IntakeDraft.Day: TerminalUsage]) -> PostgresStatement? {
        guard !usage.isEmpty else { return nil }
        // In one order, so that two that add to the same rows do not wait for each other.
        let rows = usage.sorted { ($0.key.terminalId, $0.key.day) < ($1.key.terminalId, $1.key.day) }
        return PostgresStatement(
            "INSERT INTO terminal_usage AS u (terminal_id, day, \(TerminalUsage.columns.joined(separator: ", "))) "
                + "SELECT * FROM unnest($1::text[], "
                + (2..<TerminalUsage.columns.count + 3).map { "$\($0)::bigint[]" }.joined(separator: ", ")
                + ") ON CONFLICT (day, terminal_id) DO UPDATE SET "
                + TerminalUsage.adding,
            [.texts(of: rows) { $0.key.terminalId }, .integers(of: rows) { $0.key.day }]
                + TerminalUsage.counts.map { count in .integers(of: rows) { $0.value[keyPath: count] } })
    }

    /// The columns of a row of `u`, in their order.
    static var selection: String { TerminalUsage.columns.map { "u.\($0)" }.joined(separator: ", ") }

    /// - Parameter first: where the columns of ``selection`` begin.
    static func usage(in row: PostgresRow, from first: Int = 0) throws(PostgresError) -> TerminalUsage {
        TerminalUsage(
            mutations: try row.integer(first), bytes: try row.integer(first + 1),
            attachments: try row.integer(first + 2), points: try row.integer(first + 3),
            pointsAdjusted: try row.integer(first + 4), memberChanges: try row.integer(first + 5),
            newMembers: try row.integer(first + 6), visits: try row.integer(first + 7))
    }
}
