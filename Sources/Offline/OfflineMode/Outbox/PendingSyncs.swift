/// The requests of `sync now` that wait for the end of the drain and its `Report`.
///
/// The machine works on all begun requests at once, and ends them together.
struct PendingSyncs<Report: Sendable> {
    /// Each whose event is in the inbox, in the inbox's order.
    private var queued: [CheckedContinuation<Report, Never>] = []
    /// Each that the machine has begun.
    private var running: [CheckedContinuation<Report, Never>] = []

    mutating func add(_ waiter: CheckedContinuation<Report, Never>) { queued.append(waiter) }

    /// The event of the oldest one leaves the inbox.
    mutating func begin() {
        if !queued.isEmpty { running.append(queued.removeFirst()) }
    }

    /// The machine has ended what it works on.
    mutating func finish(_ report: Report) {
        for waiter in running { waiter.resume(returning: report) }
        running = []
    }

    /// Ends all of them, those in the inbox included.
    mutating func endAll(_ report: Report) {
        finish(report)
        for waiter in queued { waiter.resume(returning: report) }
        queued = []
    }
}
