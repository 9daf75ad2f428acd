import HubCore

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
            "INSERT INTO terminal_usage AS u (terminal_id, day, mutations, bytes, attachments, points) "
                + "SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
                + "$6::bigint[]) ON CONFLICT (day, terminal_id) DO UPDATE SET "
                + ["mutations", "bytes", "attachments", "points"].map(sum).joined(separator: ", "),
            [
                .texts(of: rows) { $0.key.terminalId }, .integers(of: rows) { $0.key.day },
                .integers(of: rows) { $0.value.mutations }, .integers(of: rows) { $0.value.bytes },
                .integers(of: rows) { $0.value.attachments }, .integers(of: rows) { $0.value.points },
            ])
    }

    static func of(
        _ terminalId: String, on day: Int64, on connection: PostgresConnection
    ) throws(PostgresError) -> TerminalUsage {
        let row = try connection.query(
            "SELECT mutations, bytes, attachments, points FROM terminal_usage "
                + "WHERE day = $1 AND terminal_id = $2", [.integer(day), .text(terminalId)]
        ).first
        guard let row else { return TerminalUsage() }
        return TerminalUsage(
            mutations: try row.integer(0), bytes: try row.integer(1), attachments: try row.integer(2),
            points: try row.integer(3))
    }
}
