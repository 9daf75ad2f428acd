package import OfflineMode
package import Retail

internal import GRDB
internal import HubProtocol

/// The shift's notes: the simplest record that is written here and at other terminals.
///
/// The hub's version is in the feed's tables and is always stored. A change made here hides it until the
/// hub's version contains the change, so that a note with a pending change is not overwritten.
package struct SQLiteNotes: NoteStorage {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// One read of the feed's tables with the changes made here.
    package func list() async throws(NoteError) -> [Note] {
        try await accessing(writing: false) { try NoteTable($0).notes() }
    }

    /// One transaction: the note's journal entry, its attachments and its fields. The defaults are a store
    /// without cashiers and a note without files, as with the other changes.
    package func add(
        text: String, author: String?, by cashierId: String? = nil, attachments: [Attachment] = [],
        at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await accessing(writing: true) { connection in
            var writer = try JournalWriter(connection, database.clocks())
            let change = NoteChange(
                adding: writer.mintId(at: madeAt), text: text, author: author, by: cashierId,
                attachments: attachments, at: madeAt)
            return try NoteTable(connection).record(change, after: nil, at: madeAt, with: &writer)
        }
    }

    /// The entry follows the note's earlier change under its ordering key.
    package func edit(
        _ id: String, text: String, by cashierId: String? = nil, attachments: [Attachment] = [],
        at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await changing(id, at: madeAt) { note in
            NoteChange(editing: note, text: text, by: cashierId, attachments: attachments)
        }
    }

    /// The entry follows the note's earlier change under its ordering key.
    package func delete(
        _ id: String, by cashierId: String? = nil, at madeAt: Int64
    ) async throws(NoteError) -> Note {
        try await changing(id, at: madeAt) { NoteChange(deleting: $0, by: cashierId, at: madeAt) }
    }

    private func changing(
        _ id: String, at madeAt: Int64, _ change: @escaping @Sendable (Note) -> NoteChange
    ) async throws(NoteError) -> Note {
        let changed = try await accessing(writing: true) { connection -> Note? in
            let table = NoteTable(connection)
            guard let note = try table.note(id), note.value != nil else { return nil }
            var writer = try JournalWriter(connection, database.clocks())
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
            throw .storage(StorageError(error, path: database.path))
        }
    }
}

/// The notes within one access of the database.
struct NoteTable {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// The hub's version together with the change made here, which hides it. The change ends when the hub's
    /// version contains it: by its origin, or because it was written later than the change was applied.
    private static let query = """
        SELECT ids.id, base.version, base.value AS base_value, base.deleted_at AS base_deleted_at,
            base.hlc AS base_hlc, base.origin, mine.mutation_id, mine.value, mine.deleted_at,
            journal.verdict, journal.result, journal.ordering_key
        FROM (
            SELECT entity_id AS id FROM feed_entities
                WHERE entity = 'note' AND generation = (SELECT generation FROM feed)
            UNION SELECT note_id FROM note_changes
        ) AS ids
        LEFT JOIN feed_entities AS base ON base.entity = 'note' AND base.entity_id = ids.id
            AND base.generation = (SELECT generation FROM feed)
        LEFT JOIN note_changes AS mine ON mine.note_id = ids.id
        LEFT JOIN journal ON journal.id = mine.mutation_id
        """

    func notes() throws -> [Note] {
        try Row.fetchAll(database, sql: Self.query + " ORDER BY ids.id").map(Self.note(from:))
            .filter(\.isListed)
    }

    func note(_ id: String) throws -> Note? {
        try Row.fetchOne(database, sql: Self.query + " WHERE ids.id = ?", arguments: [id])
            .map(Self.note(from:))
    }

    /// Journals a change, which then hides the hub's version. It follows a change without a result under the
    /// same ordering key.
    func record(
        _ change: NoteChange, after note: Note?, at madeAt: Int64, with writer: inout JournalWriter
    ) throws -> Note {
        let before = try Row.fetchOne(
            database,
            sql: """
                SELECT journal.id, journal.ordering_key FROM note_changes
                JOIN journal ON journal.id = note_changes.mutation_id
                WHERE note_id = ? AND verdict IS NULL
                """, arguments: [change.id])
        let base = try Note.baseVersion(of: note) { try pendingBase(of: change.id) }
        try database.keep(change.attachments, at: madeAt)
        let entry = try writer.append(
            JournalWriter.NewEntry(
                type: change.mutationType, entity: "note", entityId: change.id,
                dependsOn: before.map { [$0["id"]] } ?? [], orderingKey: before?["ordering_key"],
                attachments: change.attachments.map(\.id), madeAt: madeAt,
                payload: change.payload(baseVersion: base).canonicalBytes))
        try writer.finish()
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO note_changes (note_id, mutation_id, value, deleted_at)
                VALUES (?, ?, ?, ?)
                """,
            arguments: [change.id, entry.id, change.value?.canonicalText, change.deletedAt])
        return Note(
            id: change.id, value: change.value, version: note?.version, state: .pending,
            deletedAt: change.deletedAt)
    }

    /// The hub's version that the pending change of the note `id` is based on.
    private func pendingBase(of id: String) throws -> Int64? {
        let body = try Blob.fetchOne(
            database,
            sql: """
                SELECT body FROM note_changes JOIN journal ON journal.id = note_changes.mutation_id
                WHERE note_id = ?
                """, arguments: [id])
        let before = body.flatMap { try? JSONParser.parse($0.bytes) }
        return EntryMembers(shown: before?["payload"]).baseVersion
    }

    /// Removes the changes that the hub's version contains; after each page of the feed that is in use.
    func settle() throws {
        let rows = try Row.fetchAll(database, sql: Self.query + " WHERE mine.mutation_id IS NOT NULL")
        for row in rows where Self.isContained(row) {
            try database.execute(
                sql: "DELETE FROM note_changes WHERE note_id = ?", arguments: [row["id"] as String])
        }
    }

    /// A refused change continues under a new id, or is discarded.
    func replace(_ mutationId: String, by new: String?, payload: JSONValue?) throws {
        guard let new else {
            return try database.execute(
                sql: "DELETE FROM note_changes WHERE mutation_id = ?", arguments: [mutationId])
        }
        try database.execute(
            sql: "UPDATE note_changes SET mutation_id = ?1 WHERE mutation_id = ?2",
            arguments: [new, mutationId])
        guard let fields = payload.flatMap(NoteChange.fields) else { return }
        try database.execute(
            sql: "UPDATE note_changes SET value = ? WHERE mutation_id = ? AND value IS NOT NULL",
            arguments: [fields.canonicalText, new])
    }

    private static func isContained(_ row: Row) -> Bool {
        guard let mutationId: String = row["mutation_id"] else { return true }
        return Note.hubContains(
            change: mutationId, SyncState(column: row["verdict"]), origin: row["origin"],
            written: row["base_hlc"],
            applied: (row["result"] as String?).flatMap(MutationResponse.init(stored:))?.hlc)
    }

    private static func note(from row: Row) -> Note {
        let isContained = isContained(row)
        let value: String? = isContained ? row["base_value"] : row["value"]
        return Note(
            id: row["id"], value: value.flatMap { try? JSONParser.parse(Array($0.utf8)) },
            version: row["version"],
            state: Note.state(of: SyncState(column: row["verdict"]), isContained: isContained),
            deletedAt: isContained ? row["base_deleted_at"] : row["deleted_at"])
    }
}
