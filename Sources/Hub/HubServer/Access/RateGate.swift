internal import HubCore
internal import OfflineCore
internal import Synchronization

/// Counts the calls of each terminal at this process; one per process, shared by all its listeners.
final class RateGate: Sendable {
    private let buckets: Mutex<TerminalBuckets>
    private let now: @Sendable () -> Instant

    init(_ rate: TokenBucket.Rate, now: @escaping @Sendable () -> Instant) {
        buckets = Mutex(TerminalBuckets(rate: rate))
        self.now = now
    }

    /// Counts one call of a terminal.
    ///
    /// - Returns: nil when it may go ahead; otherwise how long it has to wait.
    func count(_ terminalId: String) -> Duration? {
        let now = now()
        return buckets.withLock { $0.take(terminalId, at: now) }
    }
}
