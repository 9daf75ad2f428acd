public import HubProtocol
internal import OfflineCore

extension HubClient {
    /// Tells the hub how this terminal is doing. Evidence of nothing, so it is reported to nobody.
    ///
    /// - Returns: whether the hub took it.
    public func tell(_ telemetry: JSONValue) async -> Bool {
        let call = HubCall(.post, template: Routes.telemetry, body: telemetry.canonicalBytes)
        return await callUnreported(call).outcome == .success
    }
}
