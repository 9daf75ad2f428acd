public import OfflineCore

/// The outbox on disk: what of the journal has no verdict yet.
///
/// Pending means "no acknowledgement on disk". Every call that changes something is durable when it returns.
public protocol OutboxStorage: Sendable {
    /// The rows without a verdict that are due for sending, oldest sequence first.
    ///
    /// - Parameters:
    ///   - sequence: only rows behind this one.
    ///   - limit: at most so many rows.
    func pending(after sequence: Int64, limit: Int) async throws(OutboxStorageError) -> [OutboxItem]

    /// The depth of the outbox, cheap enough to ask after every change.
    func depth() async throws(OutboxStorageError) -> OutboxDepth

    /// Writes verdicts (`isVerdict`) and takes their rows out of the outbox, or notes a row's trouble
    /// (`deferred`, `retry`) without taking it out; one transaction.
    ///
    /// - Parameter acknowledgedThrough: how far the hub says it has come; nil when it did not say. Less than
    ///   it once said puts everything behind it back into the outbox: the hub was restored from a backup.
    /// An attachment that a `deferred` names is sent anew.
    ///
    /// - Returns: how many rows were put back, or wait for their attachments again.
    @discardableResult
    func record(_ results: [PushResult], acknowledgedThrough: Int64?) async throws(OutboxStorageError) -> Int

    /// Puts acknowledged mutations that the hub lost back into the outbox.
    func reopen(sequences: [Int64]) async throws(OutboxStorageError)

    /// Notes a problem of one row that is no verdict (a 4xx of the whole request); the row stays pending.
    func note(problem: String, of id: String) async throws(OutboxStorageError)

    /// Stores the new epoch and lifts the order counter above `headOrderNumber`; ids, sequences and hashes of
    /// what is pending stay as they are.
    func adopt(epoch: Int64, headSequence: Int64, headOrderNumber: String?) async throws(OutboxStorageError)
}

/// One row of the outbox, ready to be sent.
public struct OutboxItem: Hashable, Sendable {
    /// The mutation's ULID, the idempotency key.
    public let id: String
    public let sequence: Int64
    /// Mutations of one lane depend on each other and go in order; lanes do not hold each other up.
    public let orderingKey: String
    /// The mutation's type, for display.
    public let type: String
    /// The mutation's canonical JSON as it is sent; unchanged from the moment it was written.
    public let body: [UInt8]
    /// An attachment of it is not whole at the hub yet: it is not sent.
    public let isHeld: Bool

    public init(
        id: String, sequence: Int64, orderingKey: String, type: String, body: [UInt8], isHeld: Bool = false
    ) {
        self.id = id
        self.sequence = sequence
        self.orderingKey = orderingKey
        self.type = type
        self.body = body
        self.isHeld = isHeld
    }
}

/// How full the outbox is.
public struct OutboxDepth: Hashable, Sendable {
    public let pending: Int
    /// Unix milliseconds of the oldest pending row's making; nil when nothing is pending.
    public let oldestMadeAt: Int64?
    public let rejected: Int
    public let conflicted: Int
    /// The highest sequence such that it and all before have a verdict; 0 before the first.
    public let acknowledgedThrough: Int64
    /// The smallest sequence without a verdict; nil when every one has one.
    public let lowSequence: Int64?
    public let epoch: Int64

    public init(
        pending: Int, oldestMadeAt: Int64?, rejected: Int, conflicted: Int, acknowledgedThrough: Int64,
        lowSequence: Int64?, epoch: Int64
    ) {
        self.pending = pending
        self.oldestMadeAt = oldestMadeAt
        self.rejected = rejected
        self.conflicted = conflicted
        self.acknowledgedThrough = acknowledgedThrough
        self.lowSequence = lowSequence
        self.epoch = epoch
    }
}

/// Why the outbox on disk could not be read or changed. Nothing was removed; the drain waits and tries again.
public enum OutboxStorageError: Error, Equatable, Sendable {
    case unavailable(detail: String)
}
