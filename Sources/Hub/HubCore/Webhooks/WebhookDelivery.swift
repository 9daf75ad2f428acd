/// How far a receiver has the journal feed, and when it is sent to next: the machine of one webhook.
///
/// What is sent is what lies behind ``through`` in the feed, so nothing else is kept for it. A failure never
/// moves the place: documents are delivered in order, until a person skips some.
package struct WebhookDelivery: Hashable, Sendable {
    /// The last document that the receiver has, or that a person skipped.
    package private(set) var through: JournalCursor
    /// In a row.
    package private(set) var failures: Int64 = 0
    /// Of the first failure in a row, milliseconds since 1970.
    package private(set) var failingSince: Int64?
    /// Nil: as soon as there is something to send.
    package private(set) var nextTry: Int64?
    /// What was wrong the last time, as text for a person.
    package private(set) var problem: String?
    /// When the receiver accepted something last, milliseconds since 1970.
    package private(set) var deliveredAt: Int64?

    package enum Event: Hashable, Sendable {
        /// The receiver has accepted the documents up to a place.
        case delivered(through: JournalCursor)
        /// None of the documents up to a place is for the receiver.
        case passedOver(through: JournalCursor)
        /// It did not accept them. `jitter` spreads the next try, from 0 to below 1.
        case failed(problem: String, jitter: Double)
        /// A person gave up what lies before a place.
        case skipped(through: JournalCursor)
    }

    package enum Effect: Hashable, Sendable {
        case raiseAlarm
    }

    /// Nothing is delivered before `through`.
    package init(from through: JournalCursor) {
        self.through = through
    }

    /// As it was kept.
    package init(
        through: JournalCursor, failures: Int64, failingSince: Int64?, nextTry: Int64?, problem: String?,
        deliveredAt: Int64?
    ) {
        self.through = through
        self.failures = failures
        self.failingSince = failingSince
        self.nextTry = nextTry
        self.problem = problem
        self.deliveredAt = deliveredAt
    }

    /// - Parameter now: milliseconds since 1970.
    package mutating func handle(_ event: Event, at now: Int64) -> [Effect] {
        switch event {
        case .delivered(let place):
            through = place
            deliveredAt = now
            forgetFailures()
        case .passedOver(let place): through = place
        case .skipped(let place):
            through = place
            forgetFailures()
        case .failed(let problem, let jitter):
            failures += 1
            self.problem = problem
            let since = failingSince.map { min($0, now) } ?? now
            failingSince = since
            let next = now + Self.wait(behind: failures, jitter: jitter)
            if now - since >= Self.alarmAfter {
                nextTry = next
                return [.raiseAlarm]
            }
            // The alarm comes with a try, and not later than it has to.
            nextTry = min(next, since + Self.alarmAfter)
        }
        return []
    }

    /// Whether it may be sent to. A time further away than the longest wait is of a clock that was set back
    /// since.
    package func isDue(at now: Int64) -> Bool {
        guard let nextTry else { return true }
        return nextTry <= now || nextTry - now > Self.longestWait
    }

    private mutating func forgetFailures() {
        (failures, failingSince, nextTry, problem) = (0, nil, nil, nil)
    }

    /// From a half of the doubling wait up to all of it, so that receivers that failed together are not tried
    /// together.
    private static func wait(behind failures: Int64, jitter: Double) -> Int64 {
        let doubled = firstWait << min(failures - 1, 20)
        let longest = min(doubled, longestWait)
        return longest / 2 + Int64(Double(longest / 2) * min(max(jitter, 0), 1))
    }

    /// Of a receiver that is restarted, documents are late by seconds; halved, one that is down gets twice as
    /// many requests in its first minute.
    private static let firstWait: Int64 = 5_000
    /// The contract's: `shop.md`. A receiver that was down for a day has its documents an hour later at most.
    private static let longestWait: Int64 = 3_600_000
    /// The contract's.
    private static let alarmAfter: Int64 = 3_600_000
}
