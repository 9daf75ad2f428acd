package import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// Locks the row of the version while its sums change; `now` is in milliseconds since 1970.
    package func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await database.write { connection throws(PostgresError) in
            let name: [PostgresValue] = [.text(terminalId), .text(report.appVersion)]
            let kept = try connection.query(
                "SELECT document FROM telemetry WHERE terminal_id = $1 AND app_version = $2 FOR UPDATE", name
            ).first?.optionalText(0)
            let record = TelemetryRecord(keeping: report, at: now, behind: kept.map(JSONValue.stored))
            try connection.query([
                PostgresStatement(
                    "INSERT INTO telemetry (terminal_id, app_version, received_at, document) "
                        + "VALUES ($1, $2, $3, $4) ON CONFLICT (terminal_id, app_version) "
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

    /// A read by the time of arrival.
    package func telemetry(since moment: Int64) async throws(LedgerError) -> [String: TelemetryRecord] {
        try await database.perform { connection throws(PostgresError) in
            var records: [String: TelemetryRecord] = [:]
            for row in try connection.query(
                "SELECT terminal_id, document FROM telemetry WHERE received_at >= $1 "
                    + "ORDER BY received_at, app_version DESC", [.integer(moment)]
            ).rows {
                records[try row.text("terminal_id")] = TelemetryRecord(
                    json: JSONValue.stored(try row.optionalText("document")))
            }
            return records
        }
    }

    /// By terminal id; terminals that never reported are absent.
    package func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await database.perform { connection throws(PostgresError) in
            var records: [String: [TelemetryRecord]] = [:]
            for row in try connection.query(
                "SELECT terminal_id, document FROM telemetry ORDER BY received_at DESC, app_version"
            ).rows {
                records[try row.text("terminal_id"), default: []].append(
                    TelemetryRecord(json: JSONValue.stored(try row.optionalText("document"))))
            }
            return records
        }
    }

    /// By terminal id; terminals without a mutation are absent.
    package func lastMutations() async throws(LedgerError) -> [String: Int64] {
        try await database.perform { connection throws(PostgresError) in
            var moments: [String: Int64] = [:]
            for row in try connection.query(LastMutations.query).rows {
                moments[try row.text("id")] = try row.optionalInteger("received_at")
            }
            return moments
        }
    }
}

/// How often terminals looked members up.
extension PostgresLedger {
    /// One transaction, terminals in order of their ids so that two hubs do not block each other.
    package func addMemberReads(_ reads: [String: Int64], on day: Int64) async throws(LedgerError) {
        // In one order, so that two hubs that count the same terminals do not wait for each other.
        let counted = reads.sorted { $0.key < $1.key }
        try await database.write { connection throws(PostgresError) in
            try connection.query([
                PostgresStatement(
                    "INSERT INTO member_reads (terminal_id, day, reads) SELECT terminal_id, $2, reads "
                        + "FROM unnest($1::text[], $3::bigint[]) AS counted (terminal_id, reads) "
                        + "ON CONFLICT (terminal_id, day) DO UPDATE "
                        + "SET reads = member_reads.reads + excluded.reads",
                    [.texts(of: counted, \.key), .integer(day), .integers(of: counted, \.value)]),
                PostgresStatement(
                    "DELETE FROM member_reads WHERE day < $1", [.integer(day - MemberReads.keptDays)]),
            ])
            return .keep(())
        }
    }

    /// By terminal id; terminals without a look-up on this day are absent.
    package func memberReads(on day: Int64) async throws(LedgerError) -> [String: Int64] {
        try await database.perform { connection throws(PostgresError) in
            var reads: [String: Int64] = [:]
            let rows = try connection.query(
                "SELECT terminal_id, reads FROM member_reads WHERE day = $1", [.integer(day)]
            ).rows
            for row in rows { reads[try row.text("terminal_id")] = try row.integer("reads") }
            return reads
        }
    }
}
