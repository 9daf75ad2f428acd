internal import OfflineCore
internal import OfflineMode

/// Pings nobody. For a hub on loopback: this machine's own kernel would answer, and that says nothing of the
/// hub.
struct NoPing: Pinging {
    func ping(timeout: Duration) async -> PingResult { .unavailable }
}
