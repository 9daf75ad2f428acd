internal import HubCore
internal import HubProtocol
internal import HubStore

/// How terminals say they are doing, alone or beside a batch (http.md section 8).
struct TelemetryRoutes: Sendable {
    let ledger: any TelemetryLedger
    let now: @Sendable () -> Int64

    var routes: [Route] { [Route(.post, Routes.telemetry, answer: alone)] }

    @Sendable private func alone(_ request: HubRequest) async throws -> Answer {
        let device = try request.requireDevice()
        let json = try await request.json()
        guard json.object != nil else { throw Problem.malformed("Telemetry is an object.") }
        try await ledger.keepTelemetry(TelemetryReport(lenient: json), of: device.terminalId, at: now())
        return Answer(status: 204)
    }

    /// Keeps what rides on a batch, if it is anything. The verdicts are durable by now; telemetry that is bad
    /// or lost must not take them back.
    static func keep(
        _ telemetry: JSONValue?, of device: DeviceIdentity, at now: Int64, in ledger: any TelemetryLedger
    ) async {
        guard let telemetry, telemetry.object != nil else { return }
        try? await ledger.keepTelemetry(
            TelemetryReport(lenient: telemetry), of: device.terminalId, at: now)
    }
}
