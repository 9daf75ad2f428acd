import Reachability
import Synchronization

/// Logs every change.
final class ChangeLog: ReachabilityDelegate {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func reachabilityDidChange(to status: ReachabilityStatus, of monitor: ReachabilityMonitor) {
        lines.withLock { $0.append("\(monitor.target): \(status.state.rawValue)") }
    }
}

/// Belongs to the main actor, as user interfaces do.
@MainActor
final class StatusLight: ReachabilityDelegate {
    private(set) var isGreen = false

    func watch(_ monitor: ReachabilityMonitor) {
        monitor.setDelegate(self, at: .mainActor)
        monitor.start()
    }

    nonisolated func reachabilityDidChange(to status: ReachabilityStatus, of monitor: ReachabilityMonitor) {
        MainActor.assumeIsolated { isGreen = status.isReachable }
    }
}
