import Base

internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import OfflineCore
internal import Retail

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
        /// When it was made by the store's clock, in Unix milliseconds.
        var madeAt: Int64
        /// What an entry that replaces another one takes from it; nil: the terminal's clock now.
        var generatedAt: String?
        /// A JSON object in canonical form.
        var payload: [UInt8]
        var stock = StockMoves.none
    }

    var head: JournalHead
    /// What the entries say of their time.
    let clocks: EntryClocks
    private let database: Database
    private let insertion: DirectStatement
    private var generator = SystemRandomNumberGenerator()

    init(_ database: Database, _ clocks: EntryClocks) throws {
        self.database = database
        self.clocks = clocks
        head = try JournalHead.read(database)
        insertion = try DirectStatement(
            """
            INSERT INTO journal (sequence, id, type, ordering_key, made_at, hash, body, stock_moves)
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
            entityId: new.entityId,
            clientGeneratedAt: new.generatedAt ?? Timestamp.text(milliseconds: clocks.terminal),
            previousHash: PlantedBug.chainBroken.isPlanted && head.sequence % 16 == 15
                ? String(head.hash.reversed()) : head.hash,
            dependsOn: new.dependsOn, attachments: new.attachments,
            supersedes: new.supersedes, payload: new.payload)
        head.sequence = mutation.sequence
        head.hash = mutation.hash
        head.pending += PlantedBug.pendingMiscounted.isPlanted && head.sequence % 16 == 0 ? 2 : 1
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

    /// The business day of an entry, as ``OrderMark/businessDay(today:madeAt:isHubTimeKnown:hubTime:)`` has
    /// it.
    func businessDay(of today: BusinessDay, madeAt: Int64) throws -> BusinessDay {
        head.orderMark.businessDay(
            today: today, madeAt: madeAt, isHubTimeKnown: clocks.hub != nil,
            // Only a mark ahead of the clock needs it; most entries read nothing more.
            hubTime: head.orderMark.day > today.number
                ? try SQLiteTerminalFacts.hubTime(in: database) : nil)
    }

    /// The member `hubTime` of what the hub's journal lists: sales, voids, refunds, shifts and cash.
    var hubTime: String? { clocks.hub.map(Timestamp.text(milliseconds:)) }

    /// `payload` with the member ``hubTime``, in canonical form.
    func dated(_ payload: JSONValue) -> [UInt8] {
        var members = payload.object ?? [:]
        members["hubTime"] = JSONValue(hubTime)
        return JSONValue.object(members).canonicalBytes
    }

    /// Writes the journal's new end; the last step before the commit.
    func finish() throws {
        try head.writeEnd(database)
    }
}
