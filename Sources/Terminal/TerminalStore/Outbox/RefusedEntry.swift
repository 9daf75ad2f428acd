public import HubProtocol

/// A mutation that the hub refused and that no person has resent or discarded yet.
public struct RefusedEntry: Hashable, Sendable {
    /// As `pos sync status` shows it.
    public let entry: OutboxEntry
    /// The mutation as it was sent.
    public let mutation: Mutation
}

/// Why a refusal was not settled. Nothing was changed.
public enum RefusalError: Error, Equatable, Sendable {
    /// There is no mutation of this id.
    case unknown(id: String)
    /// The hub has not refused it, or its refusal was settled before; `state` is its present state.
    case notRefused(id: String, state: String)
    /// The new content is not valid; `detail` has the reason.
    case malformed(detail: String)
    /// No room to record it; free some space.
    case diskFull(path: String)
    /// The store on disk failed; `detail` is its own text.
    case unavailable(detail: String)
}
