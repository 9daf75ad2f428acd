import Reachability

/// Draws a banner for as long as its task lives.
@MainActor
final class Banner {
    private(set) var text = ""

    func follow(_ monitor: ReachabilityMonitor) async {
        for await status in monitor.statuses() {
            text = status.isReachable ? "online" : "offline (\(status.reason.rawValue))"
        }
    }
}

/// Waits for the target instead of polling it.
func waitUntilReachable(_ monitor: ReachabilityMonitor) async {
    for await status in monitor.statuses() where status.isReachable { return }
}
