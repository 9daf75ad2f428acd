import Dispatch
import Reachability

/// Uploads when there is a way, and not over a modem that costs by volume.
final class Uploader {
    private let queue = DispatchQueue(label: "uploads")
    private var subscription: ReachabilitySubscription?

    func begin(watching monitor: ReachabilityMonitor, upload: @escaping @Sendable () -> Void) {
        subscription = monitor.onChange(at: .queue(queue)) { status in
            guard status.isReachable, !status.isMetered else { return }
            upload()
        }
        monitor.start()
    }

    func end() {
        subscription?.cancel()
        subscription = nil
    }
}

/// Counts inside an actor's isolation.
actor Outages {
    private(set) var count = 0

    func follow(_ monitor: ReachabilityMonitor) -> ReachabilitySubscription {
        monitor.onChange(at: .actor(self)) { status in
            self.assumeIsolated { outages in
                if status.state == .offline || status.state == .unreachable { outages.count += 1 }
            }
        }
    }
}
