/// Tells a punctual timer from one that came too late.
struct ClockWatch: Hashable, Codable, Sendable {
    private let tolerance: Duration
    /// When the machine is to be woken; never before the moment it was reckoned.
    private(set) var due: Instant
    private var lateTimers = 0

    init(tolerance: Duration, at now: Instant) {
        self.tolerance = tolerance
        due = now
    }

    /// Called with each event: how late the wake is that should have come first, if it is too late.
    mutating func observe(isTimer: Bool, at now: Instant) -> SleptTime? {
        guard now >= due else { return nil }
        if now > due + tolerance {
            lateTimers += 1
            return .timerLate(inARow: lateTimers)
        }
        if isTimer { lateTimers = 0 }
        return nil
    }

    mutating func arm(for deadline: Instant, at now: Instant) {
        due = max(deadline, now)
    }
}
