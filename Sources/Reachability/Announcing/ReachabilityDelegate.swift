/// Notified of every change of a monitor's status, for code that prefers a delegate.
public protocol ReachabilityDelegate: AnyObject, Sendable {
    /// Called at the place that was set with the delegate, never twice at the same time.
    func reachabilityDidChange(to status: ReachabilityStatus, of monitor: ReachabilityMonitor)
}

/// Notified of every change of a group's status.
public protocol ReachabilityGroupDelegate: AnyObject, Sendable {
    /// Called at the place that was set with the delegate, never twice at the same time.
    func reachabilityDidChange(to status: ReachabilityGroupStatus, of group: ReachabilityGroup)
}
