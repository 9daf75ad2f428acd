internal import GRDB
internal import HubProtocol
internal import OfflineMode

/// A change of a note.
struct NoteChange {
    let id: String
    /// Nil: it is deleted.
    let value: JSONValue?
    /// The fields that are changed here; the others are sent back as received. Nil: all.
    var changed: [String]?
    let deletedAt: String?
    /// Who made the change; nil in a store without cashiers.
    var cashierId: String?
    var attachments: [Attachment] = []
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
            journal.verdict, journal.result, journal.lane
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
            // The hub keeps a tombstone that it has.
            .filter { $0.value != nil || $0.state != .synced }
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
                SELECT journal.id, journal.lane FROM note_changes
                JOIN journal ON journal.id = note_changes.mutation_id
                WHERE note_id = ? AND verdict IS NULL
                """, arguments: [change.id])
        var payload = change.value?.object ?? [:]
        if let cashierId = change.cashierId { payload["cashierId"] = .string(cashierId) }
        if let deletedAt = change.deletedAt { payload["deletedAt"] = .string(deletedAt) }
        if let changed = change.changed { payload["changed"] = .array(changed.map(JSONValue.string)) }
        payload["baseVersion"] = try base(of: note).map(JSONValue.integer)
        try database.keep(change.attachments, at: madeAt)
        let entry = try writer.append(
            JournalWriter.NewEntry(
                type: change.value == nil ? "note.deleted" : "note.upserted", entity: "note",
                entityId: change.id, dependsOn: before.map { [$0["id"]] } ?? [], orderingKey: before?["lane"],
                attachments: change.attachments.map(\.id), madeAt: madeAt,
                payload: JSONValue.object(payload).canonicalBytes))
        try writer.finish()
        try database.execute(
            sql: "INSERT OR REPLACE INTO note_changes VALUES (?, ?, ?, ?)",
            arguments: [change.id, entry.id, change.value?.canonicalText, change.deletedAt])
        return Note(
            id: change.id, value: change.value, version: note?.version, state: .pending,
            deletedAt: change.deletedAt)
    }

    /// The hub's version that a change of `note` is based on. After a change of this terminal that the hub's
    /// version does not contain yet, it is the version after that change's own, and not the feed's newest:
    /// what another terminal wrote in between is hidden by the change and was not seen here.
    private func base(of note: Note?) throws -> Int64? {
        guard let note else { return 0 }
        guard note.state == .pending else { return note.version }
        let body = try Blob.fetchOne(
            database,
            sql: """
                SELECT body FROM note_changes JOIN journal ON journal.id = note_changes.mutation_id
                WHERE note_id = ?
                """, arguments: [note.id])
        let before = body.flatMap { try? JSONParser.parse($0.bytes) }
        return before?["payload"]?["baseVersion"]?.integer.map { $0 + 1 }
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
        guard var fields = payload?.object else { return }
        for key in ["baseVersion", "changed"] { fields[key] = nil }
        try database.execute(
            sql: "UPDATE note_changes SET value = ? WHERE mutation_id = ? AND value IS NOT NULL",
            arguments: [JSONValue.object(fields).canonicalText, new])
    }

    private static func isContained(_ row: Row) -> Bool {
        guard let mutationId: String = row["mutation_id"] else { return true }
        if let origin: String = row["origin"], origin == mutationId { return true }
        guard SyncState(column: row["verdict"]) == .acknowledged, let written: String = row["base_hlc"],
            let applied = (row["result"] as String?).flatMap(MutationResponse.init(stored:))?.hlc
        else { return false }
        return written >= applied
    }

    private static func note(from row: Row) -> Note {
        let isContained = isContained(row)
        let value: String? = isContained ? row["base_value"] : row["value"]
        let state: Note.State =
            switch SyncState(column: row["verdict"]) {
            case _ where isContained: .synced
            case .rejected: .rejected
            case .conflicted: .conflicted
            case .pending, .acknowledged, .superseded, .discarded: .pending
            }
        return Note(
            id: row["id"], value: value.flatMap { try? JSONParser.parse(Array($0.utf8)) },
            version: row["version"], state: state,
            deletedAt: isContained ? row["base_deleted_at"] : row["deleted_at"])
    }
}
