import Reachability

/// Prints every change of one host until its task is cancelled.
func watch(_ host: String) async throws {
    let monitor = try ReachabilityMonitor(host: host)
    monitor.start()
    for await status in monitor.statuses() {
        print(status.state.rawValue, status.reason.rawValue, status.isSettled ? "" : "unsettled")
    }
}
