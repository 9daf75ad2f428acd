public import Foundation

extension Notification.Name {
    /// Posted by ``ReachabilityAnnouncing/postNotifications(through:at:)`` with the present status and after
    /// each change.
    ///
    /// The object is the monitor or the group; its status is in the user info under
    /// ``ReachabilityMonitor/statusKey``.
    public static let reachabilityDidChange = Notification.Name("ReachabilityDidChange")
}

extension ReachabilityMonitor {
    /// Where the user info of a notification holds the ``ReachabilityStatus``, or the
    /// ``ReachabilityGroupStatus`` of a group.
    public static let statusKey = "status"
}

extension ReachabilityAnnouncing where Self: AnyObject {
    /// Posts ``Foundation/NSNotification/Name/reachabilityDidChange`` until the subscription ends.
    ///
    /// - Parameters:
    ///   - center: where to post. Default `NotificationCenter.default`.
    ///   - place: where notifications are posted; observers without a queue of their own run there too.
    public func postNotifications(
        through center: NotificationCenter = .default, at place: CallbackPlace
    ) -> ReachabilitySubscription {
        ReachabilitySubscription(reading: statuses(), at: place) { [weak self] status in
            guard let self else { return }
            center.post(
                name: .reachabilityDidChange, object: self,
                userInfo: [ReachabilityMonitor.statusKey: status])
        }
    }
}
