package import HubProtocol
package import OfflineMode

/// An entry of the journal as `pos sync status` shows it.
package struct JournalEntry: Hashable, Sendable {
    /// A ULID.
    package let id: String
    /// Its number in the journal, from 1.
    package let sequence: Int64
    /// The mutation's type, `order.completed` for example.
    package let type: String
    /// Unix milliseconds.
    package let madeAt: Int64
    /// How often the hub responded to this row without a final result.
    package let attempts: Int64
    /// Pending, rejected or conflicted.
    package let state: SyncState
    /// The hub's last response about it as stored: a JSON text, or a note about a refused request; nil before
    /// the first.
    package let problem: String?

    /// Makes an entry; nil as `problem` is one that the hub has not responded to yet.
    package init(
        id: String, sequence: Int64, type: String, madeAt: Int64, attempts: Int64, state: SyncState,
        problem: String?
    ) {
        (self.id, self.sequence, self.type, self.madeAt) = (id, sequence, type, madeAt)
        (self.attempts, self.state, self.problem) = (attempts, state, problem)
    }

    /// ``problem``, parsed; nil where it is not JSON.
    package var response: MutationResponse? { problem.flatMap(MutationResponse.init(stored:)) }
}

/// A mutation that the hub refused and that no person has resent or discarded yet.
package struct RefusedEntry: Hashable, Sendable {
    /// As `pos sync status` shows it.
    package let entry: JournalEntry
    /// The mutation as it was sent.
    package let mutation: Mutation

    /// Makes a refusal; `mutation` is what `entry` carries.
    package init(entry: JournalEntry, mutation: Mutation) {
        (self.entry, self.mutation) = (entry, mutation)
    }
}

/// An entry that is held back: its content has changed on the disk, its hash is wrong.
package struct HeldBackEntry: Hashable, Sendable {
    /// A ULID.
    package let id: String
    /// Its number in the journal, from 1.
    package let sequence: Int64
    /// The mutation's type, `order.completed` for example.
    package let type: String
    /// Unix milliseconds.
    package let madeAt: Int64
    /// The present content, if it is JSON.
    package let json: JSONValue?

    /// Makes an entry; nil as `json` is content that cannot be read.
    package init(id: String, sequence: Int64, type: String, madeAt: Int64, json: JSONValue?) {
        (self.id, self.sequence, self.type) = (id, sequence, type)
        (self.madeAt, self.json) = (madeAt, json)
    }
}

/// Why a refusal was not settled. Nothing was changed.
package enum RefusalError: Error, Equatable, Sendable {
    /// There is no mutation of this id.
    case unknown(id: String)
    /// The hub has not refused it and nothing else prevented its result, or that was settled before; `state`
    /// is its present state.
    case notRefused(id: String, state: SyncState)
    /// The new content is not valid; `detail` has the reason.
    case malformed(detail: String)
    /// The store on disk failed.
    case storage(StorageError)
}

/// The refused entries on disk. A refused entry stays as it is: an edit is a new entry that supersedes it,
/// and discarding it is an entry of its own, so that the journal has both. Every change is durable when its
/// call returns.
package protocol RefusalStorage: Sendable {
    /// The refusals that no person has settled, oldest first, at most `limit`.
    func list(limit: Int) async throws(RefusalError) -> [RefusedEntry]

    /// The mutation `id`, in any state.
    func mutation(_ id: String) async throws(RefusalError) -> Mutation

    /// The entries without a result whose hash is wrong and that no person released, at most `limit`.
    func heldBack(limit: Int) async throws(RefusalError) -> [HeldBackEntry]

    /// Releases an entry that is held back to be sent as it is; does nothing to any other.
    func release(_ id: String) async throws(RefusalError)

    /// Records a new entry that supersedes a refused one: same entity, same order number, same time.
    ///
    /// - Parameters:
    ///   - allowsPending: whether an entry may be replaced that has no result, only a problem. The hub
    ///     refuses it as superseded when it arrives after all.
    ///   - revise: the new payload of the refused mutation; in the transaction that replaces it.
    /// - Returns: the new mutation's id.
    /// - Throws: ``RefusalError/malformed(detail:)`` too for a payload that cannot be read as what it was.
    func resend(
        _ id: String, allowsPending: Bool,
        _ revise: @escaping @Sendable (Mutation) -> Result<JSONValue, RefusalError>
    ) async throws(RefusalError) -> String

    /// Records that a mutation that was refused, or gets no result, is given up, and takes back what
    /// ``Refusals/effect(ofDiscarding:)`` names.
    ///
    /// - Parameters:
    ///   - payload: of the entry `mutation.discarded`.
    ///   - madeAt: Unix milliseconds of the wall clock.
    /// - Returns: that entry's id.
    func discard(_ id: String, _ payload: JSONValue, at madeAt: Int64) async throws(RefusalError) -> String
}
