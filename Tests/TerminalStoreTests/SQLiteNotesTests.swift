import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Notes on disk")
struct SQLiteNotesTests {
    private func page(_ changes: [Change], _ cursor: String, hasMore: Bool = false) -> ChangePage {
        ChangePage(changes: changes, cursor: cursor, hasMore: hasMore)
    }

    private func change(
        _ id: String, _ value: JSONValue?, version: Int64 = 1, hlc: String = "0000000000001-000000",
        origin: String = "elsewhere"
    ) -> Change {
        Change(
            entity: "note", entityId: id, version: version, isDeleted: value == nil,
            deletedAt: value == nil ? "2026-11-21T00:00:00.000Z" : nil, hlc: hlc,
            origin: ["terminalId": "t", "mutationId": .string(origin)], value: value)
    }

    @Test("a field that this version does not use is sent back as received, with the version it is based on")
    func unknownFields() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            page([change("n", ["text": "a", "colour": ["rgb": [1, 2]]], version: 7)], "c1"))
        _ = try await notes.edit("n", text: "b", at: 1)
        let item = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 1).first)
        let payload = try Mutation(json: JSONParser.parse(item.body)).payload
        #expect(payload == ["text": "b", "colour": ["rgb": [1, 2]], "baseVersion": 7, "changed": ["text"]])
    }

    @Test("what no request to the hub can carry does not get into the journal")
    func tooLarge() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let text = String(repeating: "m", count: JournalWriter.maximumBytes)
        await #expect(throws: NoteError.self) { try await notes.add(text: text, author: nil, at: 1) }
        _ = try await notes.add(text: String(text.dropFirst(1_000)), author: nil, at: 2)
        let pending = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9)
        #expect(pending.map(\.sequence) == [1])
    }

    @Test(
        "a change after one's own is based on the version that follows it, whatever the feed brings meanwhile"
    )
    func chainedBase() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        try await catalogue.apply(page([change("n", ["text": "a"], version: 7)], "c1"))
        _ = try await notes.edit("n", text: "b", at: 1)
        try await catalogue.apply(page([change("n", ["text": "a", "by": "B"], version: 8)], "c2"))
        _ = try await notes.edit("n", text: "c", at: 2)
        _ = try await notes.delete("n", at: 3)
        let own = try await notes.add(text: "new", author: nil, at: 4)
        _ = try await notes.delete(own.id, at: 5)
        let items = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9)
        let bases = try items.map { try Mutation(json: JSONParser.parse($0.body)).payload["baseVersion"] }
        #expect(bases == [7, 8, 9, 0, 1])
    }

    @Test("the feed does not overwrite what waits, and its own echo ends the waiting")
    func echo() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let note = try await notes.add(text: "mine", author: "Ann", at: 1)
        let mutation = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 1).first)
        try await catalogue.apply(page([change(note.id, ["text": "theirs"])], "c1"))
        #expect(try await notes.list().map { $0.value?["text"] } == ["mine"])
        #expect(try await notes.list().map(\.state) == [.pending])
        try await catalogue.apply(
            page([change(note.id, ["text": "merged"], version: 2, origin: mutation.id)], "c2"))
        #expect(try await notes.list().map { $0.value?["text"] } == ["merged"])
        #expect(try await notes.list().map(\.state) == [.synced])
        #expect(try await store.number("SELECT count(*) FROM note_changes") == 0)
    }

    @Test(
        "a later change of another terminal replaces an applied change, an earlier one does not",
        arguments: [
            #"{"hlc":"0000000000005-000000"}"#,
            #"{"hlc":"0000000000009-000000","result":{"hlc":"0000000000005-000000"}}"#,
        ])
    func overtaken(result: String) async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let note = try await notes.add(text: "mine", author: nil, at: 1)
        let outbox = SQLiteOutbox(store.database)
        let mutation = try #require(try await outbox.pending(after: 0, limit: 1).first)
        try await outbox.record(
            [PushResult(id: mutation.id, outcome: .applied, document: result)],
            acknowledgedThrough: 1)
        try await catalogue.apply(
            page([change(note.id, ["text": "before"], hlc: "0000000000004-000009")], "c1"))
        #expect(try await notes.list().map { $0.value?["text"] } == ["mine"])
        try await catalogue.apply(
            page([change(note.id, ["text": "after"], hlc: "0000000000005-000001")], "c2"))
        #expect(try await notes.list().map { $0.value?["text"] } == ["after"])
    }

    @Test("a fresh generation replaces the old one with its last page, and what waits stays over both")
    func generation() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        try await catalogue.apply(page([change("a", ["text": "old"]), change("b", ["text": "gone"])], "c1"))
        _ = try await notes.edit("a", text: "edited", at: 1)
        try await catalogue.startAgain()
        try await catalogue.apply(page([change("a", ["text": "new"])], "d1", hasMore: true))
        #expect(try await notes.list().map { $0.value?["text"] } == ["edited", "gone"])
        try await catalogue.apply(page([change("c", ["text": "more"])], "d2"))
        #expect(try await notes.list().map { $0.value?["text"] } == ["edited", "more"])
        #expect(try await notes.list().map(\.state) == [.pending, .synced])
    }

    @Test("a tombstone is kept until the hub has it, and what is gone cannot be edited")
    func tombstone() async throws {
        let store = try await StoreFixture()
        let notes = SQLiteNotes(store.database)
        let note = try await notes.add(text: "x", author: nil, at: 1)
        let gone = try await notes.delete(note.id, at: 2)
        #expect(gone.deletedAt == "1970-01-01T00:00:00.002Z")
        #expect(try await notes.list().map(\.value) == [nil])
        await #expect(throws: NoteError.unknown(id: note.id)) {
            try await notes.edit(note.id, text: "y", at: 3)
        }
        let rows = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9)
        #expect(rows.map(\.type) == ["note.upserted", "note.deleted"])
        #expect(Set(rows.map(\.orderingKey)).count == 1)
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            page([change(note.id, nil, origin: rows[1].id)], "c1"))
        #expect(try await notes.list() == [])
    }
}
