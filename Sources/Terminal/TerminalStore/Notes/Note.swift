public import HubProtocol

/// One of the shift's notes at this terminal: the hub's version with the changes made here since.
public struct Note: Hashable, Sendable {
    /// The state of the change made here.
    public enum State: String, Hashable, Sendable {
        /// The hub has what is shown.
        case synced
        case pending
        case rejected
        case conflicted
    }

    /// A ULID.
    public let id: String
    /// All fields, those that only other terminals use too; nil for a tombstone.
    public let value: JSONValue?
    /// The hub's version that it was last seen with; nil before the first.
    public let version: Int64?
    /// Whether the hub has the newest change made here.
    public let state: State
    /// RFC 3339; nil unless deleted.
    public let deletedAt: String?

    /// Makes a note; nil as `value` together with `deletedAt` makes a tombstone.
    public init(id: String, value: JSONValue?, version: Int64?, state: State, deletedAt: String?) {
        self.id = id
        self.value = value
        self.version = version
        self.state = state
        self.deletedAt = deletedAt
    }
}

/// Why a note was not changed. Nothing was.
public enum NoteError: Error, Equatable, Sendable {
    /// There is no such note, or it was deleted.
    case unknown(id: String)
    /// No room to record it; free some space.
    case diskFull(path: String)
    /// The store on disk failed; `detail` is its own text.
    case unavailable(detail: String)
}
