import Base

/// How the hub lets this terminal drain after a fault: first a hold, then so many mutations a minute.
struct DrainPace: Hashable, Sendable {
    /// A request whose mutations count against the rate.
    private struct Spent: Hashable, Sendable {
        let count: Int
        let at: Instant
    }

    /// When the next request may go out.
    private(set) var next: Instant
    private let perMinute: Int64?
    private var spent: Spent?

    /// A rate of 0 or less sets none; the hold is clamped to an hour.
    ///
    /// - Parameter before: the pace that this one replaces. The request that was sent under it counts against
    ///   the new rate, so that a pace which is repeated in every response allows no extra requests.
    init(_ pace: ResumePace, after before: DrainPace? = nil, at now: Instant) {
        perMinute = pace.ratePerMinute > 0 ? pace.ratePerMinute : nil
        spent = before?.spent
        next = now + pace.after.clamped(to: .zero ... .seconds(3_600))
        if let spent { next = max(next, paidFor(spent)) }
    }

    /// At most ten seconds' worth of the rate in one request, so that a slow pace causes no bursts. Halved,
    /// the requests are twice as many; doubled, the hub gets bursts of twenty seconds' worth.
    var batchLimit: Int {
        guard let perMinute else { return .max }
        return Int(clamping: max(1, perMinute / 6))
    }

    mutating func noteSent(_ count: Int, at now: Instant) {
        let sent = Spent(count: count, at: now)
        spent = sent
        next = max(next, paidFor(sent))
    }

    private func paidFor(_ spent: Spent) -> Instant {
        guard let perMinute else { return spent.at }
        return spent.at + .nanoseconds(60_000_000_000 * Int64(spent.count) / perMinute)
    }
}
