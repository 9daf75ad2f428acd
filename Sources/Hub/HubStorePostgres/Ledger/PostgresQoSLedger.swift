internal import HubProtocol
package import HubStore

/// The QoS store in a PostgreSQL database.
package final class PostgresQoSLedger: QoSLedger, PostgresStore {
    package static let tables = "qos_"

    let database: PostgresDatabase

    /// Opens the database at `url`, making or migrating the tables as needed.
    package init(url: String) throws(LedgerError) {
        database = try PostgresDatabase(url: url, schema: .qos)
    }

    /// A round trip alone: it does not notice a server that is read-only.
    package func checkWritable() async throws(LedgerError) {
        _ = try await database.perform { connection throws(PostgresError) in try connection.query("SELECT 1")
        }
    }
}

extension PostgresQoSLedger {
    /// Longer than the longest window of the rules.
    private static let keptMilliseconds: Int64 = 120_000

    /// Behind a lock, so that positions become visible in their order and no report is passed over.
    package func exchange(
        _ reports: [SharedReport], of process: String, after position: Int64?, at now: Int64
    ) async throws(LedgerError) -> (reports: [SharedReport], position: Int64) {
        try await database.write { connection throws(PostgresError) in
            let responses = try connection.query(
                [StoreLock.reports.statement, Self.left(reports, by: process, at: now)].compactMap(\.self)
                    + [Self.taken(by: process, after: position), Self.head, Self.dropped(at: now)])
            let (rows, head) = (responses[responses.count - 3], responses[responses.count - 2])
            let taken = try rows.rows.map { row throws(PostgresError) in
                SharedReport(
                    service: try row.text("service"), terminalId: try row.text("terminal_id"),
                    storeId: try row.text("store_id"),
                    ok: try row.integer("ok"), failed: try row.integer("failed"),
                    windowStart: try row.optionalInteger("window_start"))
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
