public import Base

/// Full jitter over a doubling step: `random(0, min(maximum, base·2ⁿ))`, capped first, then random.
///
/// (Brooker: "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.)
public struct Backoff: Hashable, Sendable {
    /// The step after the first failure; it doubles with each further one. Default 1 s.
    public let base: Duration
    /// The longest step. Default 12 h.
    public let maximum: Duration
    /// Failures since the last success; the n of the step.
    public private(set) var failures = 0

    /// A peer's `Retry-After` is clamped to this (http.md, section 3): halved, a hub with a long outage gets
    /// more attempts than it allowed; doubled, one absurd number keeps the sales of two hours on one disk.
    public static let longestRetryAfter = Duration.seconds(3_600)

    /// A backoff without a failure. Neither argument is checked.
    public init(base: Duration = .seconds(1), maximum: Duration = .seconds(12 * 3_600)) {
        self.base = base
        self.maximum = maximum
    }

    /// The wait after one more failure, never shorter than the hub's `Retry-After`.
    public mutating func fail(
        retryAfter: Duration? = nil, using generator: inout SplitMix64
    ) -> Duration {
        let wait =
            PlantedBug.jitterBeforeCap.isPlanted
            ? min(maximum, generator.upTo(base * Int(1 << min(Int64(failures), 30)))) : generator.upTo(step)
        if failures < 62 { failures += 1 }
        return max(Self.clamp(retryAfter ?? .zero), wait)
    }

    /// Ends a run of failures: the next failure starts at ``base`` again.
    public mutating func reset() { failures = 0 }

    /// `reported` between zero and ``longestRetryAfter``.
    public static func clamp(_ reported: Duration) -> Duration {
        PlantedBug.retryAfterIgnored.isPlanted ? .zero : min(max(reported, .zero), longestRetryAfter)
    }

    private var step: Duration {
        let (nanoseconds, overflow) = base.wholeNanoseconds.multipliedReportingOverflow(
            by: 1 << Int64(failures))
        return overflow ? maximum : min(maximum, .nanoseconds(nanoseconds))
    }
}
