/// The status of a monitor's target at one moment.
///
/// ``state`` changes only once the evidence has lasted, so that an unstable link does not cause many changes.
/// ``isSettled`` shows earlier that the state may be about to change, and ``reason`` shows why.
public struct ReachabilityStatus: Hashable, Sendable {
    /// How far the target can be reached.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// No monitor runs, or it has observed nothing yet. Never an optimistic guess.
        case unknown
        /// No interface of this machine has a route to the target.
        case offline
        /// This machine has a path, and the target does not respond: no internet, a login page, a silent
        /// link.
        case unreachable
        /// An independent address responds and the target does not, or the target responds with 5xx.
        case targetDown
        /// The target responds, slowly or with failures.
        case degraded
        /// The target responds.
        case reachable
    }

    /// The reason of the state, or of the suspicion.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case none
        /// The monitor was not started, or it was stopped.
        case notWatched
        /// The first response is pending.
        case connecting
        case noInterface
        /// Somebody else responded in the target's place: a login page, a redirect, a foreign certificate.
        case captivePortal
        case nameNotResolved
        case timeout
        case connectionFailed
        case tlsFailed
        /// The target responds with 5xx.
        case serverError
    }

    /// The medium of the path to the target, as far as the kernel reports it.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        case ethernet
        case wifi
        case cellular
        /// A tunnel, the loopback interface, or nothing.
        case unknown
    }

    /// The confirmed state; a suspicion alone does not change it.
    public let state: State
    /// Why the state is not ``State/reachable``, or why a failure is suspected; else ``Reason/none``.
    public let reason: Reason
    /// ``Transport/unknown`` before the kernel's first report.
    public let transport: Transport
    /// Whether the interface is metered.
    public let isMetered: Bool
    /// Whether data should be saved on this path.
    public let isConstrained: Bool
    /// The duration of the last probe that got a response; nil before the first. It does not age: check
    /// ``state`` for whether it still applies.
    public let latency: Duration?
    /// False while the state may change soon: the first response is pending, a failure is not confirmed yet,
    /// or the target is back and must keep responding for a while.
    public let isSettled: Bool

    /// For tests and previews; a monitor makes its own. By default an unmetered path of unknown transport.
    public init(
        state: State, reason: Reason, transport: Transport = .unknown, isMetered: Bool = false,
        isConstrained: Bool = false, latency: Duration? = nil, isSettled: Bool
    ) {
        self.state = state
        self.reason = reason
        self.transport = transport
        self.isMetered = isMetered
        self.isConstrained = isConstrained
        self.latency = latency
        self.isSettled = isSettled
    }

    /// Whether a request is likely to get through: ``State/reachable`` or ``State/degraded``.
    ///
    /// A hint for what to show and when to try. A request itself is the better probe: send it, and let its
    /// failure decide.
    public var isReachable: Bool { state == .reachable || state == .degraded }

    /// The status of a monitor that does not run.
    public static let notWatched = ReachabilityStatus(state: .unknown, reason: .notWatched, isSettled: false)

    /// Whether listeners must be notified of `next`. A change of the latency alone does not count.
    func isNews(_ next: ReachabilityStatus) -> Bool { with(latency: nil) != next.with(latency: nil) }

    private func with(latency: Duration?) -> ReachabilityStatus {
        ReachabilityStatus(
            state: state, reason: reason, transport: transport, isMetered: isMetered,
            isConstrained: isConstrained, latency: latency, isSettled: isSettled)
    }
}
