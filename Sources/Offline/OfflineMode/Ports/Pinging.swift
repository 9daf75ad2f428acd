public import OfflineCore

/// Sends ICMP echoes to the hub's host.
public protocol Pinging: Sendable {
    /// One echo. Never throws: what cannot be sent is `.unavailable`, what does not come back `.timedOut`.
    func ping(timeout: Duration) async -> PingResult
}
