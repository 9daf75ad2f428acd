internal import Base
internal import GRDB
internal import HubProtocol
internal import OfflineMode
internal import Synchronization
package import Retail

/// Members whom this terminal made and the feed does not have yet. They are what the journal has, so that a
/// kill, an edit of a refused one and a new copy of the feed need no care of their own.
struct NewMembers {
    /// The journal's end when these were read.
    var asOf: Int64 = -1
    private var byId: [String: Member] = [:]
    /// By the digits of a telephone number in all their forms, the first who got it.
    private var byDigits: [String: Member] = [:]

    var isEmpty: Bool { byId.isEmpty }

    func member(_ id: String) -> Member? { byId[id] }

    func members(phone: String) -> [Member] {
        for digits in MemberRecord.lookupForms(of: phone) {
            if let member = byDigits[digits] { return [member] }
        }
        return []
    }

    mutating func add(_ member: Member, phone: String) {
        byId[member.id] = member
        for digits in MemberRecord.lookupForms(of: phone) where byDigits[digits] == nil {
            byDigits[digits] = member
        }
    }

    /// Reads the journal's entries of new members, the oldest first, without those that the hub refused and
    /// those that the feed in use names.
    init(_ database: Database) throws {
        asOf = try JournalHead.read(database).sequence
        let bodies = try Row.fetchCursor(
            database,
            sql: """
                SELECT body, verdict FROM journal INDEXED BY journal_members
                WHERE type = 'member.created' ORDER BY sequence
                """)
        while let row = try bodies.next() {
            let state = SyncState(column: row["verdict"])
            guard state == .pending || state == .acknowledged,
                let entry = try? JSONParser.parse((row["body"] as Blob).bytes),
                let id = entry["entityId"]?.string,
                try !Self.isInFeed(id, database)
            else { continue }
            let profile = MemberProfile(shown: entry["payload"])
            add(Member(id: id, name: profile.name), phone: profile.phone ?? "")
        }
    }

    init() {}

    /// A tombstone counts too: a member who was withdrawn is not brought back.
    private static func isInFeed(_ id: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM feed_entities WHERE generation = (SELECT generation FROM feed)
                    AND entity = 'member' AND entity_id = ?)
                """, arguments: [id]) ?? false
    }
}

extension SQLiteFeedCopy: MemberStorage {
    /// One transaction; afterwards the member is in memory.
    package func add(
        phone: String, name: String, at madeAt: Int64
    ) async throws(StorageError) -> Member {
        let (member, sequence) = try await database.ledgerWrite { connection in
            var journal = try JournalWriter(connection, self.database.clocks())
            let id = journal.mintId(at: madeAt)
            var profile = MemberProfile()
            (profile.memberId, profile.name, profile.phone) = (id, name, phone)
            _ = try journal.append(
                JournalWriter.NewEntry(
                    type: MemberRecord.creation, entity: "member", entityId: id, madeAt: madeAt,
                    payload: profile.canonical.bytes))
            try journal.finish()
            return (Member(id: id, name: name), journal.head.sequence)
        }
        newMembers.withLock { kept in
            kept.add(member, phone: phone)
            kept.asOf = max(kept.asOf, sequence)
        }
        return member
    }

    /// Reads them anew. A read that began before one was added does not hide that one.
    func refreshNewMembers() async throws(CatalogueError) {
        let fresh = try await database.catalogueRead { try NewMembers($0) }
        newMembers.withLock { kept in
            if fresh.asOf >= kept.asOf { kept = fresh }
        }
    }
}
