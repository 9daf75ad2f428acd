import OfflineCore
import OfflineMode

/// Used where an echo would be no evidence.
struct NoPing: Pinging {
    func ping(timeout: Duration) async -> PingResult { .unavailable }
}
