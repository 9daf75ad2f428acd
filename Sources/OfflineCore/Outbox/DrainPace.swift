/// How the hub lets this terminal drain after a fault: held back first, then so many mutations a minute.
struct DrainPace: Hashable, Sendable {
    /// When the next request may go out.
    private(set) var next: Instant
    private let perMinute: Int64?

    /// A rate of 0 or less sets none; the hold is clamped to an hour.
    init(_ pace: ResumePace, at now: Instant) {
        next = now + pace.after.clamped(to: .zero ... .seconds(3_600))
        perMinute = pace.ratePerMinute > 0 ? pace.ratePerMinute : nil
    }

    /// At most ten seconds' worth of the rate in one request, so that a slow pace does not come in bursts.
    var batchLimit: Int {
        guard let perMinute else { return .max }
        return Int(clamping: max(1, perMinute / 6))
    }

    mutating func noteSent(_ count: Int, at now: Instant) {
        guard let perMinute else { return }
        next = max(next, now + .nanoseconds(60_000_000_000 * Int64(count) / perMinute))
    }
}
