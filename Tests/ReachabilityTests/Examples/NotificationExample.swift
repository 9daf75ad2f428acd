import Foundation
import Reachability

/// Posts from one place what any part of a program may observe.
func post(changesOf monitor: ReachabilityMonitor) -> ReachabilitySubscription {
    monitor.postNotifications(at: .mainActor)
}

/// Observes it elsewhere, without a reference to the monitor.
func observe(_ show: @escaping @Sendable (ReachabilityStatus) -> Void) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(
        forName: .reachabilityDidChange, object: nil, queue: nil
    ) { notification in
        guard let status = notification.userInfo?[ReachabilityMonitor.statusKey] as? ReachabilityStatus
        else { return }
        show(status)
    }
}
