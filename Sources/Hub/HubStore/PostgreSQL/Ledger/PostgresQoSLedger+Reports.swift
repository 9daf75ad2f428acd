extension PostgresQoSLedger {
    /// Longer than the longest window of the rules.
    private static let keptMilliseconds: Int64 = 120_000

    /// Behind a lock, so that positions become visible in their order and no report is passed over.
    public func exchange(
        _ reports: [SharedReport], of process: String, after position: Int64?, at now: Int64
    ) async throws(LedgerError) -> (reports: [SharedReport], position: Int64) {
        try await database.write { connection throws(PostgresError) in
            let answers = try connection.query(
                [PostgresLock.reports.statement, Self.left(reports, by: process, at: now)].compactMap(\.self)
                    + [Self.taken(by: process, after: position), Self.head, Self.dropped(at: now)])
            let (rows, head) = (answers[answers.count - 3], answers[answers.count - 2])
            let taken = try rows.rows.map { row throws(PostgresError) in
                SharedReport(
                    service: try row.text(0), terminalId: try row.text(1), storeId: try row.text(2),
                    ok: try row.integer(3), failed: try row.integer(4), windowStart: row.optionalInteger(5))
            }
            return .keep((taken, head.first?.optionalInteger(0) ?? position ?? 0))
        }
    }

    private static func left(
        _ reports: [SharedReport], by process: String, at now: Int64
    ) -> PostgresStatement? {
        guard !reports.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO qos_reports (process, reported_at, service, terminal_id, store_id, ok, failed, "
                + "window_start) SELECT $1::text, $2::bigint, r.* FROM unnest($3::text[], $4::text[], "
                + "$5::text[], $6::bigint[], $7::bigint[], $8::bigint[]) AS r",
            [
                .text(process), .integer(now), .texts(of: reports, \.service),
                .texts(of: reports, \.terminalId), .texts(of: reports, \.storeId),
                .integers(of: reports, \.ok), .integers(of: reports, \.failed),
                .integers(reports.map(\.windowStart)),
            ])
    }

    private static func taken(by process: String, after position: Int64?) -> PostgresStatement {
        PostgresStatement(
            "SELECT service, terminal_id, store_id, ok, failed, window_start FROM qos_reports "
                + "WHERE id > $1 AND process <> $2 ORDER BY id", [.integer(position ?? .max), .text(process)])
    }

    private static let head = PostgresStatement("SELECT COALESCE(MAX(id), 0) FROM qos_reports")

    private static func dropped(at now: Int64) -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM qos_reports WHERE reported_at < $1", [.integer(now - keptMilliseconds)])
    }
}
