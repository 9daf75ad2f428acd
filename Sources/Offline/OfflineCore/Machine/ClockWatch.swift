import Base

/// Distinguishes a punctual timer from one that came too late.
struct ClockWatch: Hashable, Codable, Sendable {
    private let tolerance: Duration
    /// When the machine must be woken; never before the moment at which this was computed.
    private(set) var due: Instant
    private var lateTimers = 0

    init(tolerance: Duration, at now: Instant) {
        self.tolerance = tolerance
        due = now
    }

    /// Called with each event: the unwatched time if the wake-up that was due before it came too late.
    mutating func observe(isTimer: Bool, at now: Instant) -> UnwatchedTime? {
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
