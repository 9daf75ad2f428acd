import Base

/// A wait after a failure: its own backoff, and the part of it that is the hub's `Retry-After`.
///
/// The step doubles once for each step that has elapsed. An early attempt that fails inside its step leaves
/// the step as it is: a hundred failures in one step prove no more than one. Without that rule a busy quarter
/// of an hour of failures would postpone the drain by hours after their end.
struct RetryWait: Hashable, Sendable {
    private var backoff: Backoff
    /// The end of the running step. An attempt before it is an early one.
    private var stepEnds: Instant?
    /// Nothing is tried before; nil while no wait runs.
    private(set) var until: Instant?
    /// The end of the hub's `Retry-After`, before which nothing is tried, not even for a person's request.
    private(set) var serverRetryAfter: Instant?

    init(_ settings: OutboxSettings) {
        backoff = Backoff(base: settings.backoffBase, maximum: settings.maximumBackoff)
    }

    mutating func fail(retryAfter: Duration? = nil, at now: Instant, using generator: inout SplitMix64) {
        let end = stepEnds.flatMap { now < $0 ? $0 : nil } ?? now + backoff.fail(using: &generator)
        stepEnds = end
        serverRetryAfter = retryAfter.map { now + Backoff.clamp($0) }
        until = serverRetryAfter.map { max($0, end) } ?? end
    }

    /// Ends the wait, except for the hub's `Retry-After`.
    mutating func tryAtOnce() { until = serverRetryAfter }

    /// Ends the wait at `moment` if it would last longer, except for the hub's `Retry-After`.
    mutating func bringNear(to moment: Instant) {
        guard let until, moment < until else { return }
        self.until = serverRetryAfter.map { max($0, moment) } ?? moment
    }

    /// The failures are over.
    mutating func reset() {
        backoff.reset()
        stepEnds = nil
        until = nil
        serverRetryAfter = nil
    }

    func holds(at now: Instant) -> Bool { until.map { now < $0 } ?? false }

    func isServerWait(at now: Instant) -> Bool { serverRetryAfter.map { now < $0 } ?? false }
}
