internal import GRDB

/// One mutation as `pos sync status` shows it.
public struct OutboxEntry: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        case pending
        case rejected
        case conflicted
    }

    /// A ULID.
    public let id: String
    public let sequence: Int64
    public let type: String
    /// Unix milliseconds.
    public let madeAt: Int64
    /// How often the hub answered for this row without a verdict.
    public let attempts: Int64
    public let state: State
    /// The hub's last words on it, JSON text; nil when there were none.
    public let problem: String?

    init(_ row: Row) {
        id = row["id"]
        sequence = row["sequence"]
        type = row["type"]
        madeAt = row["made_at"]
        attempts = row["attempts"]
        state = (row["verdict"] as String?).flatMap(State.init(rawValue:)) ?? .pending
        problem = row["problem"]
    }
}
