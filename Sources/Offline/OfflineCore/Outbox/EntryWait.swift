import Base

/// The wait of one ordering key whose row got no final result while others did.
///
/// It doubles from one second to ``ceiling``, and from then on grows with the time that the trouble has
/// lasted: a row is sent a short time after its trouble has ended, compared with how long it lasted.
struct EntryWait: Hashable, Sendable {
    private let since: Instant
    private var failures = 0
    /// The end of the running step. A failure before it was an early attempt and leaves it as it is.
    private var stepEnds: Instant?
    /// Nothing of the key is tried before.
    private(set) var until: Instant
    /// The end of the hub's `retryAfterMs`, before which nothing is tried, not even for a person's request.
    private var serverRetryAfter: Instant?

    /// The longest step in the first ten minutes. Such a row is sent 35 s after its trouble has ended;
    /// doubled, it would take a minute, and halved, a row that nothing can deliver costs twice the requests.
    private static let ceiling = Duration.seconds(25)
    /// Of the time that the trouble has lasted: ten minutes give ``ceiling``, a day gives an hour.
    private static let share: Int64 = 24
    /// 24 requests a day for a row that stays for weeks until a person decides about it.
    private static let longest = Duration.seconds(3_600)

    init(at now: Instant) {
        since = now
        until = now
    }

    mutating func fail(
        retryAfter: Duration? = nil, base: Duration, at now: Instant, using generator: inout SplitMix64
    ) {
        let end = stepEnds.flatMap { now < $0 ? $0 : nil } ?? now + step(base, at: now, using: &generator)
        stepEnds = end
        serverRetryAfter = retryAfter.map { now + Backoff.clamp($0) }
        until = serverRetryAfter.map { max($0, end) } ?? end
    }

    /// Ends the wait, except for the hub's `retryAfterMs`.
    mutating func tryAtOnce(at now: Instant) { until = serverRetryAfter ?? min(until, now) }

    /// Up to a fifth shorter than the step, so that the tills of a fleet spread.
    private mutating func step(
        _ base: Duration, at now: Instant, using generator: inout SplitMix64
    ) -> Duration {
        let grown = Self.doubled(base, failures)
        if failures < 62 { failures += 1 }
        let lasted = Duration.nanoseconds((now - since).wholeNanoseconds / Self.share)
        let step = min(grown, max(Self.ceiling, lasted), Self.longest)
        return step - generator.upTo(.nanoseconds(step.wholeNanoseconds / 5))
    }

    private static func doubled(_ base: Duration, _ times: Int) -> Duration {
        let (nanoseconds, overflow) = base.wholeNanoseconds.multipliedReportingOverflow(by: 1 << Int64(times))
        return overflow ? longest : .nanoseconds(nanoseconds)
    }
}
