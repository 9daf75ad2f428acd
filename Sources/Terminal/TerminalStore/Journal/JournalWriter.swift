import Base

internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import OfflineCore

/// Appends to the journal within one transaction: mints identifiers, links the chain. An entry
/// without a final result is in the outbox.
struct JournalWriter {
    /// An entry that has its place in the chain and is not written yet.
    struct Entry {
        let mutation: SealedMutation
        let type: String
        let orderingKey: String
        let madeAt: Int64
        var attachments: [String] = []
        /// ``StockMoves/column``.
        let stock: String?

        var id: String { mutation.id }
        var sequence: Int64 { mutation.sequence }
    }

    /// A new entry for the hub.
    struct NewEntry {
        var type: String
        var entity: String
        var entityId: String
        /// The ids of the entries that come first.
        var dependsOn: [String] = []
        /// The ordering key of the earlier entry that it follows; nil: the entry's own id becomes the key.
        var orderingKey: String?
        /// Ids of attachments that the hub needs completely first; they are in the database.
        var attachments: [String] = []
        /// The id of the refused entry that this one replaces.
        var supersedes: String?
        /// Unix milliseconds of the wall clock.
        var madeAt: Int64
        /// A JSON object in canonical form.
        var payload: [UInt8]
        var stock = StockMoves.none
    }

    var head: JournalHead
    private let database: Database
    private let insertion: DirectStatement
    private var generator = SystemRandomNumberGenerator()

    init(_ database: Database) throws {
        self.database = database
        head = try JournalHead.read(database)
        insertion = try DirectStatement(
            """
            INSERT INTO journal (sequence, id, type, lane, made_at, hash, body, stock_moves)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, in: database)
    }

    /// An identifier greater than every other that was minted here, even when the clock stepped back.
    mutating func mintId(at milliseconds: Int64) -> String {
        let now = UInt64(clamping: min(milliseconds, 1 << 48 - 1))
        head.lastId = ULID.minted(after: head.lastId, now: now, using: &generator)
        return head.lastId.description
    }

    mutating func append(_ new: NewEntry) throws -> Entry {
        let entry = seal(new)
        try write(entry)
        return entry
    }

    /// Gives `new` its identifier, its sequence and its link to the entry before; nothing is written.
    mutating func seal(_ new: NewEntry) -> Entry {
        let id = mintId(at: new.madeAt)
        let mutation = SealedMutation(
            id: id, sequence: head.sequence + 1, type: new.type, entity: new.entity,
            entityId: new.entityId, clientGeneratedAt: Timestamp.text(milliseconds: new.madeAt),
            previousHash: head.hash, dependsOn: new.dependsOn, attachments: new.attachments,
            supersedes: new.supersedes, payload: new.payload)
        head.sequence = mutation.sequence
        head.hash = mutation.hash
        head.pending += 1
        return Entry(
            mutation: mutation, type: new.type, orderingKey: new.orderingKey ?? id,
            madeAt: new.madeAt, attachments: new.attachments, stock: new.stock.column)
    }

    /// What a batch of one entry may take, in bytes, so that nothing gets into the journal that can never be
    /// sent. The names around the entry take some 200 bytes; a twentieth of that room is enough for them.
    static let maximumBytes = MutationBatch.maximumBytes - 4_096

    func write(_ entry: Entry) throws {
        guard entry.mutation.bytes.count <= Self.maximumBytes else {
            throw StoreFailure.refused(
                detail:
                    "it has more than \(Self.maximumBytes) bytes; make several of it, or shorten its texts")
        }
        try insertion.run { row in
            row.add(entry.sequence)
            row.add(entry.id)
            row.add(entry.type)
            row.add(entry.orderingKey)
            row.add(entry.madeAt)
            row.add(entry.mutation.hash)
            row.add(entry.mutation.bytes)
            row.add(entry.stock)
        }
        for id in entry.attachments {
            try database.cachedStatement(
                sql: "INSERT INTO mutation_attachments (mutation_id, attachment_id) VALUES (?, ?)"
            )
            .execute(arguments: [entry.id, id])
        }
    }

    /// Writes the journal's new end; the last step before the commit.
    func finish() throws {
        try head.writeEnd(database)
    }
}
