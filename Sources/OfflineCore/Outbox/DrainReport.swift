/// What one `sync now` came to.
public struct DrainReport: Hashable, Sendable {
    /// Why the drain ended.
    public enum Ending: Hashable, Sendable {
        /// Nothing is left without a verdict.
        case drained
        /// Some lanes wait for what they depend on, or were refused; every other row has its verdict.
        case keysWaiting
        /// The hub was not reached or could not serve; the outbox waits and tries again by itself.
        case hubTrouble
        /// The hub asked to wait (`Retry-After`) until then; nothing was sent and nothing will be before.
        case serverWait(until: Instant)
        /// The manual flag holds; nothing was sent.
        case manualOffline
        /// Syncing stands still until a person acts.
        case stopped(DrainStop)
        /// The outbox on disk could not be read or written.
        case storeTrouble
        /// The drainer was shut down.
        case interrupted
    }

    public let ending: Ending
    /// Rows that got their verdict, on disk, in this drain.
    public let verdicts: Int

    public init(ending: Ending, verdicts: Int) {
        self.ending = ending
        self.verdicts = verdicts
    }
}
