import GRDB
import HubProtocol
import OfflineMode
import Retail
import Synchronization
import Testing

@testable import TerminalStore

@Suite("Members made here, on disk")
struct NewMembersTests {
    private let store: StoreFixture
    private let catalogue: SQLiteCatalogue
    private let copy: SQLiteFeedCopy

    init() async throws {
        store = try await StoreFixture()
        catalogue = SQLiteCatalogue(store.database, now: { 0 })
        copy = SQLiteFeedCopy(store.database) { StoreFixture.noon }
    }

    private func pull(_ rows: [(id: String, value: JSONValue?)], cursor: String) async throws {
        let changes = rows.map { row in
            Change(
                entity: "member", entityId: row.id, version: 1, isDeleted: row.value == nil, deletedAt: nil,
                hlc: "h", origin: nil, value: row.value)
        }
        try await catalogue.apply(ChangePage(changes: changes, cursor: cursor, hasMore: false))
        try await copy.refresh()
    }

    /// As a program that starts anew finds them.
    private func reopened() async throws -> SQLiteFeedCopy {
        let copy = SQLiteFeedCopy(store.database) { StoreFixture.noon }
        try await copy.refresh()
        return copy
    }

    @Test(
        "are found at once and after a start, by id and by every form of the number, and are in the journal")
    func added() async throws {
        #expect(!copy.hasMembers)
        let made = try await copy.add(phone: "+86 139 1234 5678", name: "Li", at: StoreFixture.noon)
        for copy in [copy, try await reopened()] {
            #expect(copy.hasMembers)
            #expect(try await copy.member(made.id) == made)
            for phone in ["13912345678", "0086 139 1234 5678", "8613912345678"] {
                #expect(try await copy.members(phone: phone) == [made])
            }
            #expect(try await copy.members(phone: "13912345679") == [])
        }
        let body = try await store.database.read { connection in
            try Blob.fetchOne(connection, sql: "SELECT body FROM journal WHERE verdict IS NULL")?.bytes
        }
        let entry = try Mutation(json: JSONParser.parse(try #require(body)))
        #expect(entry.type == "member.created" && entry.entity == "member" && entry.entityId == made.id)
        #expect(
            entry.payload == ["memberId": .string(made.id), "phone": "+86 139 1234 5678", "name": "Li"])
    }

    @Test("are the feed's once it has them, also where the hub merged them into another member")
    func pulled() async throws {
        let made = try await copy.add(phone: "444444", name: "Li", at: StoreFixture.noon)
        let merged = try await copy.add(phone: "555555", name: "Wu", at: StoreFixture.noon)
        try await pull(
            [
                (made.id, ["phone": "444444", "points": 3]), (merged.id, ["mergedInto": "M1", "points": 0]),
                ("M1", ["name": "Wu Di", "phone": "555555", "points": 9]),
            ], cursor: "a")
        #expect(try await copy.member(made.id) == Member(id: made.id, name: nil, points: 3))
        #expect(try await copy.member(merged.id) == Member(id: "M1", name: "Wu Di", points: 9))
        #expect(try await copy.members(phone: "555555") == [Member(id: "M1", name: "Wu Di", points: 9)])
        // Withdrawn at the hub: nothing here brings them back.
        try await pull([(made.id, nil), ("M1", nil)], cursor: "b")
        #expect(try await copy.member(made.id) == nil)
        #expect(try await copy.members(phone: "444444") == [])
        #expect(try await copy.member(merged.id) == Member(id: "M1", name: nil))
    }

    @Test("stay over a new copy of the feed, and a refused one is nobody until it is edited")
    func kept() async throws {
        let made = try await copy.add(phone: "444444", name: "Li", at: StoreFixture.noon)
        try await pull([("M1", ["phone": "555555", "points": 9])], cursor: "a")
        #expect(try await copy.members(phone: "444444") == [made])
        #expect(try await copy.members(phone: "555555").map(\.id) == ["M1"])
        try await store.database.write { connection in
            try connection.execute(sql: "UPDATE journal SET verdict = 'rejected'")
        }
        #expect(try await reopened().member(made.id) == nil)
        try await store.database.write { connection in
            try connection.execute(sql: "UPDATE journal SET verdict = 'applied'")
        }
        #expect(try await reopened().member(made.id) == made)
    }

    @Test("are not hidden by a read that began before them")
    func raced() async throws {
        let early = try await store.database.catalogueRead { try NewMembers($0) }
        let made = try await copy.add(phone: "444444", name: "Li", at: StoreFixture.noon)
        copy.newMembers.withLock { kept in
            if early.asOf >= kept.asOf { kept = early }
        }
        #expect(try await copy.member(made.id) == made)
    }
}
