import OfflineCore
import OfflineMode

/// Where an echo would tell nothing.
struct NoPing: Pinging {
    func ping(timeout: Duration) async -> PingResult { .unavailable }
}
