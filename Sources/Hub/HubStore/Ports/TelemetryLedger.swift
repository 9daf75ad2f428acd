package import HubCore
package import HubProtocol

/// Keeps terminals' reports about themselves, by the version of their program.
package protocol TelemetryLedger: Sendable {
    /// Takes a report of a terminal in. Of its versions the ten that spoke last are kept.
    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError)

    /// What is kept of each terminal, the version that spoke last first.
    func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]]

    /// When each terminal's newest mutation came in, in milliseconds since 1970.
    func lastMutations() async throws(LedgerError) -> [String: Int64]
}

/// What the dashboard reads of all terminals, again and again.
package protocol FleetLedger: Sendable {
    /// What was kept at a moment or later (milliseconds since 1970), by terminal; the version that spoke last
    /// first.
    func telemetry(since moment: Int64) async throws(LedgerError) -> [String: [TelemetryRecord]]

    /// A text that is another one once a terminal came, was confirmed or revoked: it costs a hundredth of
    /// reading all terminals.
    func terminalsMark() async throws(LedgerError) -> String

    /// Times in which no hub of this store got a report, since it was down; the oldest first.
    ///
    /// A hub that starts calls it once: the time from the last report to its start is noted where it is
    /// longer than reports of a healthy chain are apart.
    ///
    /// - Parameters:
    ///   - start: when this hub started, in milliseconds since 1970.
    ///   - begin: what ended before is forgotten.
    func downtimes(until start: Int64, since begin: Int64) async throws(LedgerError) -> [ClosedRange<Int64>]
}

/// How many versions of a terminal's program are kept.
package enum TelemetryVersions {
    package static let maximum: Int64 = 10
}

/// Counts how often terminals look members up.
package protocol MemberReadLedger: Sendable {
    /// Adds to how often terminals looked members up on a day (UTC, counted from 1970).
    func addMemberReads(_ reads: [String: Int64], on day: Int64) async throws(LedgerError)

    /// How often each terminal looked members up on a day.
    func memberReads(on day: Int64) async throws(LedgerError) -> [String: Int64]
}

/// The newest entry of each journal, found by the journal's own order.
package enum LastMutations {
    package static let query =
        "SELECT id, (SELECT m.received_at FROM journal j JOIN mutations m ON m.id = j.mutation_id "
        + "WHERE j.terminal_id = terminals.id ORDER BY j.epoch DESC, j.sequence DESC LIMIT 1) "
        + "AS received_at FROM terminals"
}
