internal import GRDB
internal import HubProtocol
import Base
public import OfflineMode

/// The shift's notes: the simplest record that is written here and at other terminals.
///
/// The hub's version is in the feed's tables and is always stored. A change made here hides it until the
/// hub's version contains the change, so that a note with a pending change is not overwritten.
public struct SQLiteNotes: Sendable {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// Every note in order of its id, tombstones that the hub has not acknowledged included.
    public func list() async throws(NoteError) -> [Note] {
        try await accessing(writing: false) { try NoteTable($0).notes() }
    }

    /// Records a new note.
    ///
    /// - Parameters:
    ///   - cashierId: who writes it; nil in a store without cashiers.
    ///   - attachments: sent with it; the note is sent once the hub has all their bytes.
    ///   - madeAt: Unix milliseconds of the wall clock.
    public func add(
        text: String, author: String?, by cashierId: String? = nil, attachments: [Attachment] = [],
        at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await accessing(writing: true) { connection in
            var writer = try JournalWriter(connection)
            let id = writer.mintId(at: madeAt)
            var fields: JSONObject = [
                "text": .string(text), "madeAt": .string(Timestamp.text(milliseconds: madeAt)),
            ]
            if let author { fields["author"] = .string(author) }
            if let cashierId { fields["cashierId"] = .string(cashierId) }
            let change = NoteChange(
                id: id, value: .object(fields), deletedAt: nil, attachments: attachments)
            return try NoteTable(connection).record(change, after: nil, at: madeAt, with: &writer)
        }
    }

    /// Replaces a note's text; its other fields stay, those that this version does not use too.
    public func edit(
        _ id: String, text: String, by cashierId: String? = nil, attachments: [Attachment] = [],
        at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await changing(id, at: madeAt) { note in
            var fields = note.value?.object ?? [:]
            fields["text"] = .string(text)
            if let cashierId { fields["cashierId"] = .string(cashierId) }
            return NoteChange(
                id: id, value: .object(fields), changed: ["text"] + (cashierId == nil ? [] : ["cashierId"]),
                deletedAt: nil, attachments: attachments)
        }
    }

    /// Deletes a note; its tombstone is kept until the hub has acknowledged it.
    public func delete(
        _ id: String, by cashierId: String? = nil, at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await changing(id, at: madeAt) { _ in
            NoteChange(
                id: id, value: nil, deletedAt: Timestamp.text(milliseconds: madeAt), cashierId: cashierId)
        }
    }

    private func changing(
        _ id: String, at madeAt: Int64, _ change: @escaping @Sendable (Note) -> NoteChange
    ) async throws(NoteError) -> Note {
        let changed = try await accessing(writing: true) { connection -> Note? in
            let table = NoteTable(connection)
            guard let note = try table.note(id), note.value != nil else { return nil }
            var writer = try JournalWriter(connection)
            return try table.record(change(note), after: note, at: madeAt, with: &writer)
        }
        guard let changed else { throw .unknown(id: id) }
        return changed
    }

    private func accessing<Value: Sendable>(
        writing: Bool, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(NoteError) -> Value {
        do throws(StoreFailure) {
            return try await writing ? database.write(body) : database.read(body)
        } catch {
            switch error {
            case .diskFull: throw .diskFull(path: database.path)
            case .broken(let detail), .refused(let detail): throw .unavailable(detail: detail)
            case .notEnrolled: throw .unavailable(detail: "the terminal is not enrolled")
            }
        }
    }
}
