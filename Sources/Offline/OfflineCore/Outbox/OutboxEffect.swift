/// What the driver of the outbox machine has to do. Of `load`, `push` and `write` one is pending at a time.
public enum OutboxEffect: Hashable, Sendable {
    /// Read rows without a result after this sequence. Followed by `loaded` or `storeFailed`.
    case load(after: Int64, limit: Int)
    /// Send these rows as one request; none is an empty batch. Followed by `pushFinished`, or by
    /// `storeFailed` when nothing was sent.
    case push(ids: [String])
    /// Make this durable. Followed by `written` or `storeFailed`.
    case write(OutboxWrite)
    /// Send a large and a small request that change nothing, beside any pending operation. Followed by
    /// `pathMeasured`.
    case measurePath
    /// Open connections with small segments from now on, since the path loses large packets; or with full
    /// ones again.
    case useSmallSegments(Bool)
    /// Results are durable: notify everybody who waits for them.
    case announceResults([PushResult])
    /// Nobody should wait for a result of these rows for now.
    case endWaits(ids: [String])
    /// Nobody should wait for any result for now.
    case endAllWaits
    /// Sending goes in another way than was announced last; before the first it went well.
    case announceDelivery(DeliveryState)
    case finishCanary(good: Bool)
    case finishSync(DrainReport)
}

/// One change of the outbox on disk.
public enum OutboxWrite: Hashable, Sendable {
    /// Final results, which remove rows, and temporary ones, which do not; one transaction.
    case record([PushResult], acknowledgedThrough: Int64?)
    /// Add the rows again that the hub has lost.
    case reopen([Int64])
    /// A problem of one row that is no final result.
    case note(problem: String, id: String)
    /// Start the journal's next epoch.
    case adopt(epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?)
    /// Keep what the hub has of the copy that continues: evidence that a restored hub has lost entries.
    case keep(SupersedingJournal)
}
