public import OfflineCore

/// Asks whether the hub itself answers, or the independent internet address.
public protocol HubProbing: Sendable {
    /// One probe with a fresh nonce on a connection that is not reused from before the epoch's start.
    ///
    /// - Parameter timeout: for the whole exchange, connection included.
    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult
}
