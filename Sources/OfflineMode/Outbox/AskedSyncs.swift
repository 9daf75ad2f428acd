/// Those who asked for a `sync now` and wait for its end, as `Report` tells it.
///
/// The machine works on all that it has begun at once, and ends them together.
struct AskedSyncs<Report: Sendable> {
    /// Each whose event lies in the inbox, in its order.
    private var asked: [CheckedContinuation<Report, Never>] = []
    /// Each that the machine works on.
    private var running: [CheckedContinuation<Report, Never>] = []

    mutating func add(_ waiter: CheckedContinuation<Report, Never>) { asked.append(waiter) }

    /// The event of the oldest one leaves the inbox.
    mutating func begin() {
        if !asked.isEmpty { running.append(asked.removeFirst()) }
    }

    /// The machine has ended what it works on.
    mutating func finish(_ report: Report) {
        for waiter in running { waiter.resume(returning: report) }
        running = []
    }

    /// Nothing will come of any, of those in the inbox neither.
    mutating func endAll(_ report: Report) {
        finish(report)
        for waiter in asked { waiter.resume(returning: report) }
        asked = []
    }
}
