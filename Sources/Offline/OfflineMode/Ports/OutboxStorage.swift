public import OfflineCore

/// The outbox on disk: the journal's entries without a final result.
///
/// Pending means "no acknowledgement on disk". Every call that changes something is durable when it returns.
public protocol OutboxStorage: Sendable {
    /// The rows without a final result that are due for sending, oldest sequence first.
    ///
    /// - Parameters:
    ///   - sequence: only rows after this one.
    ///   - limit: at most so many rows.
    func pending(after sequence: Int64, limit: Int) async throws(OutboxStorageError) -> [OutboxItem]

    /// The depth of the outbox, cheap enough to read after every change.
    func depth() async throws(OutboxStorageError) -> OutboxDepth

    /// Writes final results and takes their rows out of the outbox, or notes a `deferred` or `retry` without
    /// taking the row out; one transaction. An attachment that a `deferred` names is sent again.
    ///
    /// - Parameters:
    ///   - results: of the mutations of one push.
    ///   - acknowledgedThrough: the last sequence that the hub reports as processed; nil when it reports
    ///     none. A lower one than before means that the hub was restored from a backup: every later row is
    ///     put back into the outbox.
    ///
    /// - Returns: how many rows were put back, wait for their attachments again, or wait no longer for a
    ///   person's decision about them to arrive.
    @discardableResult
    func record(_ results: [PushResult], acknowledgedThrough: Int64?) async throws(OutboxStorageError) -> Int

    /// Puts acknowledged mutations that the hub lost back into the outbox.
    func reopen(sequences: [Int64]) async throws(OutboxStorageError)

    /// Notes a problem of one row that is no result (a 4xx about the complete request); the row stays
    /// pending.
    func note(problem: String, of id: String) async throws(OutboxStorageError)

    /// Stores the new epoch and raises the order counter above `headOrderNumber`; ids, sequences and hashes
    /// of pending rows stay as they are. `headHash` is kept with `headSequence`: the hub had that entry in
    /// the epoch before, and this terminal may not have it.
    func adopt(
        epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?
    ) async throws(OutboxStorageError)

    /// Keeps the ends that the hub has of the copy that continues and this disk does not have, for the signed
    /// head, and raises the order counter above the other copy's number; epoch and rows stay as they are.
    func keep(_ journal: SupersedingJournal) async throws(OutboxStorageError)
}

/// One row of the outbox, ready to be sent.
public struct OutboxItem: Hashable, Sendable {
    /// The mutation's ULID, the idempotency key.
    public let id: String
    /// Its place in the terminal's journal, from 1 without gaps.
    public let sequence: Int64
    /// The ordering key: mutations with the same key depend on each other and are sent in order; other keys
    /// do not wait for them.
    public let orderingKey: String
    /// The mutation's type, for display.
    public let type: String
    /// The mutation's canonical JSON as it is sent; unchanged from the moment it was written.
    public let body: [UInt8]
    /// The hub does not have all of its attachments yet, or its hash is wrong: it is not sent.
    public let isHeld: Bool
    /// A person has set it aside or edited it, and the hub still lacks its sequence.
    public let isSetAside: Bool

    /// Makes a row; by default it may be sent at once and no person has set it aside.
    public init(
        id: String, sequence: Int64, orderingKey: String, type: String, body: [UInt8], isHeld: Bool = false,
        isSetAside: Bool = false
    ) {
        self.id = id
        self.sequence = sequence
        self.orderingKey = orderingKey
        self.type = type
        self.body = body
        self.isHeld = isHeld
        self.isSetAside = isSetAside
    }
}

/// How full the outbox is.
public struct OutboxDepth: Hashable, Sendable {
    /// Rows without a final result.
    public let pending: Int
    /// When the oldest pending row was made, in Unix milliseconds; nil when nothing is pending.
    public let oldestMadeAt: Int64?
    /// Mutations that the hub rejected for good.
    public let rejected: Int
    /// Mutations that the hub did not apply because of a conflict.
    public let conflicted: Int
    /// The highest sequence such that it and all before have a final result; 0 before the first.
    public let acknowledgedThrough: Int64
    /// The smallest sequence without a final result; nil when every one has one.
    public let lowSequence: Int64?
    /// The journal's epoch, which the hub assigns; it is sent with every push.
    public let epoch: Int64
    /// The sequence at which that epoch began, sent with it; nil: not known.
    public let epochStart: Int64?

    /// Makes a depth; `acknowledgedThrough` is 0 before the first final result.
    public init(
        pending: Int, oldestMadeAt: Int64?, rejected: Int, conflicted: Int, acknowledgedThrough: Int64,
        lowSequence: Int64?, epoch: Int64, epochStart: Int64? = nil
    ) {
        self.epochStart = epochStart
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

/// Sends mutations to the hub. The drainer sends one request at a time.
public protocol MutationUplink: Sendable {
    /// Sends `items` as one request: one item as a single push, more as a batch, none as an
    /// empty batch (the canary of an outbox in which nothing is due).
    ///
    /// The idempotency keys are the items' ids, which are durable. Never throws: every failure is an outcome.
    /// Also reported to ``OutcomeObserving`` by the network layer.
    ///
    /// - Parameter depth: names the epoch, its start and the smallest sequence without a result.
    func push(_ items: [OutboxItem], at depth: OutboxDepth) async -> PushOutcome

    /// Sends one request that fills large packets and, when it is lost, a small one; neither changes
    /// anything.
    ///
    /// - Returns: whether the large one reached the hub; nil when neither did or it was not tried. Default:
    ///   nil.
    func largePacketsPass() async -> Bool?

    /// Opens connections to the hub with segments that every path carries, in both directions, or with full
    /// ones again; connections that are open are not used any more. Default: nothing.
    func useSmallSegments(_ areUsed: Bool)
}

extension MutationUplink {
    /// Always nil: nothing is sent.
    public func largePacketsPass() async -> Bool? { nil }

    /// Does nothing.
    public func useSmallSegments(_ areUsed: Bool) {}
}
