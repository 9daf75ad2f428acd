/// What the outbox machine wants done. Of `load`, `push` and `write` one is out at a time.
public enum OutboxEffect: Hashable, Sendable {
    /// Read rows without a verdict behind this sequence. Answered by `loaded` or `storeFailed`.
    case load(after: Int64, limit: Int)
    /// Send these rows as one request; none is an empty batch. Answered by `pushFinished`, or by
    /// `storeFailed` when nothing was sent.
    case push(ids: [String])
    /// Make this durable. Answered by `written` or `storeFailed`.
    case write(OutboxWrite)
    /// Send a large and a small request that change nothing, beside whatever is out. Answered by
    /// `pathMeasured`.
    case measurePath
    /// Verdicts are on disk: tell whoever waits for them.
    case announceVerdicts([PushResult])
    /// Waiting for a verdict of these rows is pointless for now.
    case endWaits(ids: [String])
    /// Waiting for any verdict is pointless for now.
    case endAllWaits
    case finishCanary(good: Bool)
    case finishSync(DrainReport)
}

/// One change of the outbox on disk.
public enum OutboxWrite: Hashable, Sendable {
    /// Verdicts, which take rows out, and troubles, which do not; one transaction.
    case record([PushResult], acknowledgedThrough: Int64?)
    /// Put back what the hub has lost.
    case reopen([Int64])
    /// A problem of one row that is no verdict.
    case note(problem: String, id: String)
    /// Begin the journal's next epoch.
    case adopt(epoch: Int64, headSequence: Int64, headOrderNumber: String?)
}
