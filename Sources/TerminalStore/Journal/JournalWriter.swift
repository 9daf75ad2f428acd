internal import GRDB
internal import HubProtocol
internal import OfflineCore

/// Appends to the journal within one transaction: mints identifiers, links the chain, fills the outbox.
struct JournalWriter {
    /// An entry that was appended.
    struct Entry {
        let id: String
        let sequence: Int64
    }

    /// What is to be said to the hub.
    struct Statement {
        var type: String
        var entity: String
        var entityId: String
        /// The id of the entry that comes first in the same lane; nil: the entry begins a lane.
        var dependsOn: (id: String, lane: String)?
        /// Unix milliseconds of the wall clock.
        var madeAt: Int64
        var payload: CanonicalObject
    }

    var head: JournalHead
    private let database: Database
    private var generator = SystemRandomNumberGenerator()

    init(_ database: Database) throws {
        self.database = database
        head = try JournalHead.read(database)
    }

    /// An identifier behind every other that was minted here, even when the clock stepped back.
    mutating func mintId(at milliseconds: Int64) -> String {
        let now = UInt64(clamping: min(milliseconds, 1 << 48 - 1))
        head.lastId = ULID.minted(after: head.lastId, now: now, using: &generator)
        return head.lastId.description
    }

    mutating func append(_ statement: Statement) throws -> Entry {
        let id = mintId(at: statement.madeAt)
        let mutation = SealedMutation(
            id: id, sequence: head.sequence + 1, type: statement.type, entity: statement.entity,
            entityId: statement.entityId, clientGeneratedAt: Timestamp.text(milliseconds: statement.madeAt),
            previousHash: head.hash, dependsOn: statement.dependsOn.map { [$0.id] } ?? [],
            payload: statement.payload.bytes)
        let row = try database.cachedStatement(
            sql: """
                INSERT INTO journal (sequence, id, type, entity_id, lane, made_at, hash, body)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try row.execute(arguments: [
            mutation.sequence, id, statement.type, statement.entityId, statement.dependsOn?.lane ?? id,
            statement.madeAt, mutation.hash, Blob(mutation.bytes),
        ])
        try database.cachedStatement(sql: "INSERT INTO outbox (sequence, attempts) VALUES (?, 0)")
            .execute(arguments: [mutation.sequence])
        head.sequence = mutation.sequence
        head.hash = mutation.hash
        head.pending += 1
        return Entry(id: id, sequence: mutation.sequence)
    }

    /// Writes the journal's new end; the last step before the commit.
    func finish() throws {
        try head.writeEnd(database)
    }
}
