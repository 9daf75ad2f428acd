internal import HubCore
internal import HubProtocol
internal import HubStore

/// Terminals' reports about themselves, sent alone (http.md section 8); on batches: ``PiggybackedTelemetry``.
struct TelemetryRoutes: Sendable {
    let ledger: any TelemetryLedger
    let heads: HeadParts
    let alarms: StoreAlarms
    let now: @Sendable () -> Int64

    var routes: [Route] { [Route(.post, Routes.telemetry, response: alone)] }

    @Sendable private func alone(_ request: HubRequest) async throws -> HubResponse {
        let device = try request.requireDevice()
        let json = try await request.json()
        guard json.object != nil else { throw Problem.malformed("Telemetry is an object.") }
        let report = TelemetryReport(lenient: json)
        try await ledger.keepTelemetry(report, of: device.terminalId, at: now())
        await alarms.note(report, of: device.terminalId, at: now())
        await heads.note(json, of: device)
        return HubResponse(status: 204)
    }
}
