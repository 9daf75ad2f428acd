public import HubProtocol
internal import OfflineCore

extension HubClient {
    /// Sends the terminal's own figures to the hub. The outcome is no evidence, so it is not reported to the
    /// observer.
    ///
    /// - Returns: whether the hub took it.
    public func sendTelemetry(_ telemetry: JSONValue) async -> Bool {
        let call = HubCall(.post, template: Routes.telemetry, body: telemetry.canonicalBytes)
        return await callUnreported(call).outcome == .success
    }
}
