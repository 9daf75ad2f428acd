/// A wait after trouble: its own backoff, and what of it was the hub's word.
struct RetryWait: Hashable, Sendable {
    private var backoff: Backoff
    /// Nothing is tried before; nil when nothing holds it back.
    private(set) var until: Instant?
    /// The end of the hub's `Retry-After`, inside which not even a person's word tries.
    private(set) var toldUntil: Instant?

    init(_ settings: OutboxSettings) {
        backoff = Backoff(base: settings.backoffBase, maximum: settings.maximumBackoff)
    }

    mutating func fail(retryAfter: Duration? = nil, at now: Instant, using generator: inout SplitMix64) {
        until = now + backoff.fail(retryAfter: retryAfter, using: &generator)
        toldUntil = retryAfter.map { now + Backoff.clamp($0) }
    }

    /// Ends the wait, except for what the hub told.
    mutating func tryAtOnce() { until = toldUntil }

    /// The trouble is over.
    mutating func reset() {
        backoff.reset()
        until = nil
        toldUntil = nil
    }

    func holds(at now: Instant) -> Bool { until.map { now < $0 } ?? false }

    func isTold(at now: Instant) -> Bool { toldUntil.map { now < $0 } ?? false }
}
