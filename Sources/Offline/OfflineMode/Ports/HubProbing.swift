public import OfflineCore

/// Probes whether the hub itself responds, or the independent internet address.
public protocol HubProbing: Sendable {
    /// One probe with a fresh nonce on a connection that is not reused from before the epoch's start.
    ///
    /// - Parameter timeout: for the complete exchange, connection included.
    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult
}
