/// Told of every change of a monitor's status, for code that prefers a delegate.
public protocol ReachabilityDelegate: AnyObject, Sendable {
    /// Called at the place that was named with the delegate, never twice at a time.
    func reachabilityDidChange(to status: ReachabilityStatus, of monitor: ReachabilityMonitor)
}

/// Told of every change of a group's status.
public protocol ReachabilityGroupDelegate: AnyObject, Sendable {
    /// Called at the place that was named with the delegate, never twice at a time.
    func reachabilityDidChange(to status: ReachabilityGroupStatus, of group: ReachabilityGroup)
}
