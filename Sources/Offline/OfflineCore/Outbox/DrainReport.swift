public import Base

/// The result of one `sync now`.
public struct DrainReport: Hashable, Sendable {
    /// Why the drain ended.
    public enum Ending: Hashable, Sendable {
        /// Every row has its result.
        case drained
        /// Some ordering keys wait for what they depend on, or were refused; every other row has its result.
        case keysWaiting
        /// The hub was not reached or could not serve; the outbox waits and tries again by itself.
        case hubTrouble
        /// The hub's `Retry-After` runs until then; nothing was sent and nothing will be before.
        case serverWait(until: Instant)
        /// The manual flag is set; nothing was sent.
        case manualOffline
        /// Sync has stopped until a person acts.
        case stopped(DrainStop)
        /// The outbox on disk could not be read or written.
        case storeTrouble
        /// The drainer was shut down.
        case interrupted
    }

    /// Why nothing more is sent now; ``Ending/drained`` is the only complete success.
    public let ending: Ending
    /// Rows whose result became durable in this drain.
    public let results: Int

    /// The second argument counts the results that became durable, 0 or more.
    public init(ending: Ending, results: Int) {
        self.ending = ending
        self.results = results
    }
}
