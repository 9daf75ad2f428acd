internal import GRDB
package import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Adds to the sums and drops the oldest version in one write transaction; `now` is in milliseconds since
    /// 1970.
    package func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await writer.write { db in
            let kept: String? = try db.first(
                "SELECT document FROM telemetry WHERE terminal_id = ? AND app_version = ?",
                [terminalId, report.appVersion])?[0]
            let record = TelemetryRecord(keeping: report, at: now, behind: kept.map(JSONValue.stored))
            try db.run(
                "INSERT OR REPLACE INTO telemetry (terminal_id, app_version, received_at, document) "
                    + "VALUES (?, ?, ?, ?)",
                [terminalId, report.appVersion, now, record.json.canonicalText])
            try db.run(
                "DELETE FROM telemetry WHERE terminal_id = ?1 AND app_version NOT IN (SELECT app_version "
                    + "FROM telemetry WHERE terminal_id = ?1 ORDER BY received_at DESC, app_version LIMIT ?2)",
                [terminalId, TelemetryVersions.maximum])
            return .keep(())
        }
    }

    /// A read by the time of arrival.
    package func telemetry(since moment: Int64) async throws(LedgerError) -> [String: TelemetryRecord] {
        try await file.read { db in
            let rows = try db.all(
                "SELECT terminal_id, document FROM telemetry WHERE received_at >= ? "
                    + "ORDER BY received_at, app_version DESC", [moment])
            return Dictionary(
                rows.map {
                    ($0["terminal_id"] as String, TelemetryRecord(json: JSONValue.stored($0["document"])))
                }
            ) { _, later in later }
        }
    }

    /// By terminal id; terminals that never reported are absent.
    package func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await file.read { db in
            let rows = try db.all(
                "SELECT terminal_id, document FROM telemetry ORDER BY received_at DESC, app_version", [])
            return Dictionary(
                rows.map {
                    ($0["terminal_id"] as String, [TelemetryRecord(json: JSONValue.stored($0["document"]))])
                },
                uniquingKeysWith: +)
        }
    }

    /// By terminal id; terminals without a mutation are absent.
    package func lastMutations() async throws(LedgerError) -> [String: Int64] {
        try await file.read { db in
            let rows = try db.all(LastMutations.query, [])
            return Dictionary(
                rows.compactMap { row in (row["received_at"] as Int64?).map { (row["id"], $0) } }
            ) { $1 }
        }
    }
}

/// How often terminals looked members up.
extension SQLiteLedger {
    /// All counts in one write transaction; days before ``MemberReads/keptDays`` go in the same one.
    package func addMemberReads(_ reads: [String: Int64], on day: Int64) async throws(LedgerError) {
        try await writer.write { db in
            for (terminalId, count) in reads {
                try db.run(
                    "INSERT INTO member_reads (terminal_id, day, reads) VALUES (?, ?, ?) "
                        + "ON CONFLICT (terminal_id, day) DO UPDATE SET reads = reads + excluded.reads",
                    [terminalId, day, count])
            }
            try db.run("DELETE FROM member_reads WHERE day < ?", [day - MemberReads.keptDays])
            return .keep(())
        }
    }

    /// By terminal id; terminals without a look-up on this day are absent.
    package func memberReads(on day: Int64) async throws(LedgerError) -> [String: Int64] {
        try await file.read { db in
            try db.all("SELECT terminal_id, reads FROM member_reads WHERE day = ?", [day])
                .reduce(into: [:]) { $0[$1["terminal_id"] as String] = $1["reads"] as Int64 }
        }
    }
}
