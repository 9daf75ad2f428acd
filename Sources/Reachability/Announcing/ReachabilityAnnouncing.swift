/// Something whose changes can be followed: one monitor, or a group of them.
///
/// All four ways of being told rest on ``statuses()``, so they agree: each begins with the present value, a
/// slow listener misses steps between and never the last, and nobody is called where they did not ask.
public protocol ReachabilityAnnouncing: Sendable {
    associatedtype Status: Hashable, Sendable

    /// What is known now. True whether or not anyone listens; ``ReachabilityStatus/notWatched`` where nobody
    /// watches.
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
    ///   - body: is never called twice at a time. It may start, stop and release the monitor.
    public func onChange(
        at place: CallbackPlace, _ body: @escaping @Sendable (Status) -> Void
    ) -> ReachabilitySubscription {
        ReachabilitySubscription(reading: statuses(), at: place, body)
    }
}
