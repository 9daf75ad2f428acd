package import HubProtocol
package import OfflineMode

/// One of the shift's notes at this terminal: the hub's version with the changes made here since.
package struct Note: Hashable, Sendable {
    /// The state of the change made here.
    package enum State: String, Hashable, Sendable {
        /// The hub has what is shown.
        case synced
        case pending
        case rejected
        case conflicted
    }

    /// A ULID.
    package let id: String
    /// All fields, those that only other terminals use too; nil for a tombstone.
    package let value: JSONValue?
    /// The hub's version that it was last seen with; nil before the first.
    package let version: Int64?
    /// Whether the hub has the newest change made here.
    package let state: State
    /// RFC 3339; nil unless deleted.
    package let deletedAt: String?

    /// Makes a note; nil as `value` together with `deletedAt` makes a tombstone.
    package init(id: String, value: JSONValue?, version: Int64?, state: State, deletedAt: String?) {
        self.id = id
        self.value = value
        self.version = version
        self.state = state
        self.deletedAt = deletedAt
    }
}

/// Why a note was not changed. Nothing was.
package enum NoteError: Error, Equatable, Sendable {
    /// There is no such note, or it was deleted.
    case unknown(id: String)
    /// The store on disk failed.
    case storage(StorageError)
}

/// The notes on disk. Every change is durable when its call returns.
package protocol NoteStorage: Sendable {
    /// The notes of ``Note/isListed`` in order of their ids.
    func list() async throws(NoteError) -> [Note]

    /// Records a new note.
    ///
    /// - Parameters:
    ///   - cashierId: who writes it; nil in a store without cashiers.
    ///   - attachments: sent with it; the note is sent once the hub has all their bytes.
    ///   - madeAt: Unix milliseconds of the wall clock.
    func add(
        text: String, author: String?, by cashierId: String?, attachments: [Attachment], at madeAt: Int64
    ) async throws(NoteError) -> Note

    /// Replaces a note's text; its other fields stay, those that this version does not use too.
    func edit(
        _ id: String, text: String, by cashierId: String?, attachments: [Attachment], at madeAt: Int64
    ) async throws(NoteError) -> Note

    /// Deletes a note; its tombstone is kept until the hub has acknowledged it.
    func delete(_ id: String, by cashierId: String?, at madeAt: Int64) async throws(NoteError) -> Note
}
