public import HubCore
public import HubProtocol

/// Keeps how terminals say they are doing, by the version of their program.
public protocol TelemetryLedger: Sendable {
    /// Takes a report of a terminal in. Of its versions the ten that spoke last are kept.
    func keepTelemetry(
        _ report: TelemetryReport, of terminalId: String, at now: Int64
    ) async throws(LedgerError)

    /// What is kept of each terminal, the version that spoke last first.
    func telemetry() async throws(LedgerError) -> [String: [TelemetryRecord]]

    /// When each terminal's newest mutation came in, in milliseconds since 1970.
    func lastMutations() async throws(LedgerError) -> [String: Int64]
}

/// How many versions of a terminal's program are kept.
enum TelemetryVersions {
    static let maximum: Int64 = 10
}
