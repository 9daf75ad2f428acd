internal import GRDB
public import HubProtocol
public import OfflineMode

/// One mutation as `pos sync status` shows it.
public struct OutboxEntry: Hashable, Sendable {
    /// A ULID.
    public let id: String
    /// Its number in the journal, from 1.
    public let sequence: Int64
    /// The mutation's type, `order.completed` for example.
    public let type: String
    /// Unix milliseconds.
    public let madeAt: Int64
    /// How often the hub responded to this row without a final result.
    public let attempts: Int64
    /// Pending, rejected or conflicted.
    public let state: SyncState
    /// The hub's last response about it as stored: a JSON text, or a note about a refused request; nil before
    /// the first.
    public let problem: String?

    /// ``problem``, parsed; nil where it is not JSON.
    public var response: MutationResponse? { problem.flatMap(MutationResponse.init(stored:)) }

    init(_ row: Row) {
        id = row["id"]
        sequence = row["sequence"]
        type = row["type"]
        madeAt = row["made_at"]
        attempts = row["attempts"]
        state = SyncState(column: row["verdict"])
        problem = row["problem"]
    }
}
