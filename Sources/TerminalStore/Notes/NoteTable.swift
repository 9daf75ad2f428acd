internal import GRDB
internal import HubProtocol
internal import OfflineMode

/// What is to become of a note.
struct NoteChange {
    let id: String
    /// Nil: it is deleted.
    let value: JSONValue?
    /// The fields that are written here; the others go back as they came. Nil: all.
    var changed: [String]?
    let deletedAt: String?
    /// Who made the change; nil where nobody signs in.
    var cashierId: String?
    var attachments: [Attachment] = []
}

/// The notes within one access of the database.
struct NoteTable {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// The hub's word beside the change that lies over it. The change has done its time when the hub's word
    /// holds it: by its origin, or because it was written later than the change was taken in.
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
            // A tombstone that the hub has is the hub's to keep.
            .filter { $0.value != nil || $0.state != .synced }
    }

    func note(_ id: String) throws -> Note? {
        try Row.fetchOne(database, sql: Self.query + " WHERE ids.id = ?", arguments: [id])
            .map(Self.note(from:))
    }

    /// Journals a change and lays it over the hub's word. Behind a change that has no verdict yet it goes in
    /// the same lane.
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
            JournalWriter.Statement(
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

    /// The hub's version that a change of `note` is made on. Behind a change of this till that the hub's word
    /// does not hold yet it is the one that follows that change's own, and not what the feed has brought
    /// since: what another till wrote in between lies under the change and was not seen here.
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

    /// Takes away the changes that the hub's word holds; after each page of the feed that is in use.
    func settle() throws {
        let rows = try Row.fetchAll(database, sql: Self.query + " WHERE mine.mutation_id IS NOT NULL")
        for row in rows where Self.isHeld(row) {
            try database.execute(
                sql: "DELETE FROM note_changes WHERE note_id = ?", arguments: [row["id"] as String])
        }
    }

    /// A refused change goes on under a new id, or is given up.
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

    private static func isHeld(_ row: Row) -> Bool {
        guard let mutationId: String = row["mutation_id"] else { return true }
        if let origin: String = row["origin"], origin == mutationId { return true }
        guard SyncState(column: row["verdict"]) == .acknowledged, let written: String = row["base_hlc"],
            let applied = (row["result"] as String?).flatMap(MutationResponse.init(stored:))?.hlc
        else { return false }
        return written >= applied
    }

    private static func note(from row: Row) -> Note {
        let isHeld = isHeld(row)
        let value: String? = isHeld ? row["base_value"] : row["value"]
        let state: Note.State =
            switch SyncState(column: row["verdict"]) {
            case _ where isHeld: .synced
            case .rejected: .rejected
            case .conflicted: .conflicted
            case .pending, .acknowledged, .superseded, .discarded: .pending
            }
        return Note(
            id: row["id"], value: value.flatMap { try? JSONParser.parse(Array($0.utf8)) },
            version: row["version"], state: state,
            deletedAt: isHeld ? row["base_deleted_at"] : row["deleted_at"])
    }
}
