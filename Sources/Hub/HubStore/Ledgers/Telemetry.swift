package import HubCore
package import HubProtocol

/// Counts how often terminals look members up.
extension Ledger {
    /// Takes a report of a terminal in. Of its versions the ten that spoke last are kept. Adds to the sums
    /// and drops the oldest version in one transaction, which has the version's row to itself.
    package func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError) {
        try await write { session in
            let kept: String? = try session.first(
                "SELECT document FROM telemetry WHERE terminal_id = $1 AND app_version = $2"
                    + session.dialect.forUpdate, [terminalId, report.appVersion])?[0]
            let record = TelemetryRecord(keeping: report, at: now, behind: kept.map(JSONValue.stored))
            try session.run([
                StoreQuery(
                    "INSERT INTO telemetry (terminal_id, app_version, received_at, document) "
                        + "VALUES ($1, $2, $3, $4) ON CONFLICT (terminal_id, app_version) "
                        + "DO UPDATE SET received_at = excluded.received_at, document = excluded.document",
                    of: [terminalId, report.appVersion, now, record.json.canonicalText]),
                StoreQuery(
                    "DELETE FROM telemetry WHERE terminal_id = $1 AND app_version NOT IN "
                        + "(SELECT app_version FROM telemetry WHERE terminal_id = $1 "
                        + "ORDER BY received_at DESC, app_version LIMIT $2)",
                    of: [terminalId, TelemetryVersions.maximum]),
            ])
            return .keep(())
        }
    }

    /// What was kept at a moment or later (milliseconds since 1970), by terminal; the version that spoke last
    /// first. A read by the time of arrival.
    package func telemetry(
        since moment: Int64
    ) async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await read { session in
            try session.rows(
                "SELECT terminal_id, document FROM telemetry WHERE received_at >= $1 "
                    + "ORDER BY received_at DESC, app_version", [moment]
            ).reduce(into: [:]) { records, row in
                try records[row[0], default: []].append(TelemetryRecord(json: JSONValue.stored(row[1])))
            }
        }
    }

    /// A text that is another one once a terminal came, was confirmed or revoked: it costs a hundredth of
    /// reading all terminals. A terminal is confirmed and revoked once and for all.
    package func terminalsMark() async throws(LedgerError) -> String {
        try await read { session in
            let row = try session.first(
                "SELECT COUNT(*), COUNT(revoked_at), COUNT(unconfirmed_since) FROM terminals")
            guard let row else { return "" }
            let counts: [Int64] = [try row[0], try row[1], try row[2]]
            return counts.map(String.init).joined(separator: " ")
        }
    }

    /// Times in which no hub of this store got a report, since it was down; the oldest first.
    ///
    /// A hub that starts calls it once: the time from the last report to its start is noted where it is
    /// longer than reports of a healthy chain are apart. In the table `meta`, as a list of pairs.
    ///
    /// - Parameters:
    ///   - start: when this hub started, in milliseconds since 1970.
    ///   - begin: what ended before is forgotten.
    package func downtimes(
        until start: Int64, since begin: Int64
    ) async throws(LedgerError) -> [ClosedRange<Int64>] {
        try await write { session in
            let kept: String? = try session.first("SELECT value FROM meta WHERE key = 'downtimes'")?[0]
            var spans = (kept.map(JSONValue.stored)?.array ?? []).compactMap { pair -> ClosedRange<Int64>? in
                guard let ends = pair.array?.compactMap(\.integer), ends.count == 2, ends[0] <= ends[1] else {
                    return nil
                }
                return ends[0]...ends[1]
            }
            let last: Int64? = try session.first(
                "SELECT MAX(received_at) FROM telemetry WHERE received_at < $1", [start])?[0]
            if let last, start - last > DowntimeRule.shortest { spans.append(last...start) }
            spans.removeAll { $0.upperBound < begin }
            let json = JSONValue.array(spans.map { [.integer($0.lowerBound), .integer($0.upperBound)] })
            try session.run(
                "INSERT INTO meta (key, value) VALUES ('downtimes', $1) "
                    + "ON CONFLICT (key) DO UPDATE SET value = excluded.value", [json.canonicalText])
            return .keep(spans)
        }
    }

    /// What is kept of each terminal, the version that spoke last first. By terminal id; terminals that never
    /// reported are absent.
    package func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]] {
        try await telemetry(since: 0)
    }

    /// When each terminal's newest mutation came in, in milliseconds since 1970. By terminal id; terminals
    /// without a mutation are absent.
    package func lastMutations() async throws(LedgerError) -> [String: Int64] {
        try await read { session in
            try session.rows(LastMutations.query).reduce(into: [:]) { moments, row in
                try moments[row["id"]] = row["received_at"] as Int64?
            }
        }
    }

    /// Adds to how often terminals looked members up on a day (UTC, counted from 1970). One transaction,
    /// terminals in order of their ids, so that two hubs that count the same ones do not wait for each other.
    package func addMemberReads(_ reads: [String: Int64], on day: Int64) async throws(LedgerError) {
        let additions = reads.sorted { $0.key < $1.key }.map { terminalId, count in
            StoreQuery(
                "INSERT INTO member_reads (terminal_id, day, reads) VALUES ($1, $2, $3) "
                    + "ON CONFLICT (terminal_id, day) DO UPDATE "
                    + "SET reads = member_reads.reads + excluded.reads", of: [terminalId, day, count])
        }
        try await write { session in
            try session.run(additions)
            return .keep(())
        }
    }

    /// How often each terminal looked members up on a day. By terminal id; terminals without a look-up on
    /// this day are absent.
    package func memberReads(on day: Int64) async throws(LedgerError) -> [String: Int64] {
        try await read { session in
            try session.rows("SELECT terminal_id, reads FROM member_reads WHERE day = $1", [day])
                .reduce(into: [:]) { reads, row in try reads[row[0]] = row[1] as Int64 }
        }
    }
}

/// Which pause between reports is a downtime.
private enum DowntimeRule {
    /// Each terminal reports every five minutes. Half of it would be reached by a shop of one terminal
    /// between two reports; twice as much would hide a short downtime.
    static let shortest: Int64 = 5 * 60_000
}

/// How many versions of a terminal's program are kept.
package enum TelemetryVersions {
    package static let maximum: Int64 = 10
}

/// The newest entry of each journal, found by the journal's own order.
package enum LastMutations {
    package static let query =
        "SELECT id, (SELECT m.received_at FROM journal j JOIN mutations m ON m.id = j.mutation_id "
        + "WHERE j.terminal_id = terminals.id ORDER BY j.epoch DESC, j.sequence DESC LIMIT 1) "
        + "AS received_at FROM terminals"
}
