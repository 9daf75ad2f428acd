/// What a monitor knows of its target at one moment.
///
/// ``state`` is a verdict: it changes only once the evidence has lasted, so that a link that stutters does
/// not make a program stutter. ``isSettled`` tells earlier that a verdict may be about to change, and
/// ``reason`` tells why.
public struct ReachabilityStatus: Hashable, Sendable {
    /// How far the target can be reached.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// Nobody watches, or nothing was seen yet. Never an optimistic guess.
        case unknown
        /// No interface of this machine has a route to the target.
        case offline
        /// There is a way out of this machine, and the target does not answer: no internet, a login page, a
        /// silent line.
        case unreachable
        /// An independent address answers and the target does not, or the target answers that it is not well.
        case targetDown
        /// The target answers, slowly or with gaps.
        case degraded
        /// The target answers.
        case reachable
    }

    /// Why the state is what it is, or what casts doubt on it.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case none
        /// The monitor was not started, or it was stopped.
        case notWatched
        /// The first answer is being waited for.
        case connecting
        case noInterface
        /// Somebody else answered in the target's place: a login page, a redirect, a foreign certificate.
        case captivePortal
        case nameNotResolved
        case timeout
        case connectionFailed
        case tlsFailed
        /// The target answers with 5xx.
        case serverError
    }

    /// What carries the way to the target, as far as the kernel tells.
    public enum Transport: String, Hashable, Sendable, CaseIterable {
        case ethernet
        case wifi
        case cellular
        /// A tunnel, the loopback interface, or nothing.
        case unknown
    }

    public let state: State
    public let reason: Reason
    public let transport: Transport
    /// Whether the interface costs by volume.
    public let isMetered: Bool
    /// Whether data is to be saved on this way.
    public let isConstrained: Bool
    /// How long the last probe that was answered took; nil before the first. It does not age: look at
    /// ``state`` for whether it still holds.
    public let latency: Duration?
    /// False while a verdict is being formed: the first answer is waited for, a failure was seen and may yet
    /// be none, or the target is back and has to hold for a while.
    public let isSettled: Bool

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
    /// A hint for what to show and when to try. A request itself is the better probe: make it, and let its
    /// failure decide.
    public var isReachable: Bool { state == .reachable || state == .degraded }

    /// What a monitor says that does not run.
    public static let notWatched = ReachabilityStatus(state: .unknown, reason: .notWatched, isSettled: false)

    /// Whether listeners are to be told of `next`. A latency that moves is no news.
    func isNews(_ next: ReachabilityStatus) -> Bool { with(latency: nil) != next.with(latency: nil) }

    private func with(latency: Duration?) -> ReachabilityStatus {
        ReachabilityStatus(
            state: state, reason: reason, transport: transport, isMetered: isMetered,
            isConstrained: isConstrained, latency: latency, isSettled: isSettled)
    }
}
