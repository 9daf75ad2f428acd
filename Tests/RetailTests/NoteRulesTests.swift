import Base
import HubProtocol
import OfflineMode
import Retail
import Testing

@Suite("Rules of notes")
struct NoteRulesTests {
    private static let noon: Int64 = 1_795_234_567_000

    private func note(_ state: Note.State = .synced, version: Int64? = 4) -> Note {
        Note(
            id: "n", value: ["text": "old", "colour": "red"], version: version, state: state,
            deletedAt: nil)
    }

    @Test("A new note carries every field, based on version 0")
    func adding() {
        let change = NoteChange(
            adding: "n", text: "milk", author: "Li", by: "c1", attachments: [], at: Self.noon)
        #expect(change.mutationType == "note.upserted")
        #expect(Note.baseVersion(of: nil) { 9 } == 0)
        let madeAt = JSONValue.string(Timestamp.text(milliseconds: Self.noon))
        #expect(
            change.payload(baseVersion: 0) == [
                "text": "milk", "author": "Li", "cashierId": "c1", "madeAt": madeAt, "baseVersion": 0,
            ])
    }

    @Test("An edit names what it changes, and keeps fields that this version does not use")
    func editing() {
        let change = NoteChange(editing: note(), text: "new", by: nil, attachments: [])
        #expect(
            change.payload(baseVersion: 4)
                == ["text": "new", "colour": "red", "changed": ["text"], "baseVersion": 4])
        let named = NoteChange(editing: note(), text: "new", by: "c1", attachments: [])
        #expect(named.payload(baseVersion: nil)["changed"] == ["text", "cashierId"])
        #expect(named.payload(baseVersion: nil)["baseVersion"] == nil)
    }

    @Test("A deletion carries its time and its cashier, and no field")
    func deleting() {
        let change = NoteChange(deleting: note(), by: "c1", at: Self.noon)
        let deletedAt = JSONValue.string(Timestamp.text(milliseconds: Self.noon))
        #expect(change.mutationType == "note.deleted" && change.value == nil)
        #expect(
            change.payload(baseVersion: 4) == [
                "cashierId": "c1", "deletedAt": deletedAt, "baseVersion": 4,
            ])
    }

    @Test("A change after a pending one is based on the version after that one's own base")
    func bases() {
        #expect(Note.baseVersion(of: note()) { 9 } == 4)
        #expect(Note.baseVersion(of: note(.pending)) { 9 } == 10)
        #expect(Note.baseVersion(of: note(.pending)) { nil } == nil)
        #expect(Note.baseVersion(of: note(.rejected)) { 9 } == 4)
    }

    @Test(
        "The hub's version contains a change by its origin, or when written at or after its result",
        arguments: [
            (SyncState.pending, "m" as String?, "1" as String?, nil as String?, true),
            (.pending, "other", "2", "1", false), (.acknowledged, "other", "2", "2", true),
            (.acknowledged, "other", "1", "2", false), (.acknowledged, nil, nil, "1", false),
            (.acknowledged, nil, "2", nil, false), (.rejected, nil, "2", "1", false),
        ])
    func contained(
        sync: SyncState, origin: String?, written: String?, applied: String?, isContained: Bool
    ) {
        #expect(
            Note.hubContains(change: "m", sync, origin: origin, written: written, applied: applied)
                == isContained)
        if isContained { #expect(Note.state(of: sync, isContained: true) == .synced) }
    }
}
