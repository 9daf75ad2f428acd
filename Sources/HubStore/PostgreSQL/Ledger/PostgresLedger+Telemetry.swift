public import HubCore
public import HubProtocol

extension PostgresLedger {
    public func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await database.write { connection throws(PostgresError) in
            let name: [PostgresValue] = [.text(terminalId), .text(report.appVersion)]
            let kept = try connection.ask(
                "SELECT document FROM telemetry WHERE terminal_id = $1 AND app_version = $2 FOR UPDATE", name
            ).first?.optionalText(0)
            let record = TelemetryRecord(keeping: report, at: now, behind: kept.map(Self.document))
            try connection.ask([
                PostgresStatement(
                    "INSERT INTO telemetry VALUES ($1, $2, $3, $4) ON CONFLICT (terminal_id, app_version) "
                        + "DO UPDATE SET received_at = excluded.received_at, document = excluded.document",
                    name + [.integer(now), .text(record.json.canonicalText)]),
                PostgresStatement(
                    "DELETE FROM telemetry WHERE terminal_id = $1 AND app_version NOT IN "
                        + "(SELECT app_version FROM telemetry WHERE terminal_id = $1 "
                        + "ORDER BY received_at DESC, app_version LIMIT $2)",
                    [.text(terminalId), .integer(TelemetryVersions.maximum)]),
            ])
            return .keep(())
        }
    }

    public func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await database.ask { connection throws(PostgresError) in
            var records: [String: [TelemetryRecord]] = [:]
            for row in try connection.ask(
                "SELECT terminal_id, document FROM telemetry ORDER BY received_at DESC, app_version"
            ).rows {
                records[try row.text(0), default: []].append(
                    TelemetryRecord(json: Self.document(row.optionalText(1))))
            }
            return records
        }
    }

    public func lastMutations() async throws(LedgerError) -> [String: Int64] {
        try await database.ask { connection throws(PostgresError) in
            var moments: [String: Int64] = [:]
            for row in try connection.ask(LastMutations.question).rows {
                moments[try row.text(0)] = row.optionalInteger(1)
            }
            return moments
        }
    }
}
