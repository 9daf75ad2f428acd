/// Something whose changes can be followed: one monitor, or a group of them.
///
/// All four ways to follow changes use ``statuses()``, so they agree: each begins with the present value, a
/// slow listener misses values in between and never the last one, and callbacks run only at the chosen place.
public protocol ReachabilityAnnouncing: Sendable {
    associatedtype Status: Hashable, Sendable

    /// The present status, correct with or without listeners; ``ReachabilityStatus/notWatched`` where no
    /// monitor runs.
    var status: Status { get }

    /// The status now and after each change of it, on whatever executor the reader runs.
    ///
    /// The stream outlives `stop()` and the next `start()`. It ends with the monitor.
    func statuses() -> AsyncStream<Status>
}

extension ReachabilityAnnouncing {
    /// Calls `body` with the present status and with each change of it, until the subscription ends.
    ///
    /// - Parameters:
    ///   - place: where `body` is called.
    ///   - body: never runs twice at the same time. It may start, stop and release the monitor.
    public func onChange(
        at place: CallbackPlace, _ body: @escaping @Sendable (Status) -> Void
    ) -> ReachabilitySubscription {
        ReachabilitySubscription(reading: statuses(), at: place, body)
    }
}

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
