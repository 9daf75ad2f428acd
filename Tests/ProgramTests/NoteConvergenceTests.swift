import Foundation
import HubProtocol
import TestKit
import Testing

/// However two tills write one note while one of them is away, both and the hub end alike.
@Suite("Notes written at two tills", .onStage, .serialized)
struct NoteConvergenceTests {
    /// Two tills that have the same note, the first one away.
    private struct Stage {
        let shop: ShopUnderTest
        let other: OtherTill
        private(set) var scripted: TillOverHTTP
        let client: LoopbackClient
        let note: String

        init(_ way: ShopUnderTest.Way = []) throws {
            shop = try ShopUnderTest(way)
            other = try OtherTill(shop)
            (scripted, client) = try shop.scriptedTill()
            note = try #require(
                try shop.document("note", "add", "one", "--author", "Ann")["id"]?.string)
            _ = try shop.document("sync", "now")
            try other.sync()
            _ = try shop.document("offline", "on")
        }

        /// Another program's change of other fields.
        mutating func write(_ fields: JSONValue) throws {
            let mutation = scripted.minted("note.upserted", note, fields)
            try #require(try scripted.push(mutation, on: client).status == 201)
        }

        func comeBack() throws {
            _ = try shop.document("offline", "off")
            _ = try shop.document("sync", "now")
        }

        /// The note as the hub has it; nil for a deleted one.
        func atHub() throws -> JSONValue? {
            let feed = try client.request("GET", Routes.changes, headers: scripted.headers)
            return try ChangePage(json: feed.json()).changes.first { $0.entityId == note }?.value
        }

        /// What all three have, once both tills have synced; fails where they differ.
        func end() throws -> JSONValue? {
            _ = try shop.document("sync", "now")
            try other.sync()
            let hub = try atHub()
            let tills = [try shop.document("note", "list"), try other.document("note", "list")]
            for till in tills {
                let notes = till["notes"]?.array ?? []
                #expect(notes.first?["value"] == hub)
                #expect(notes.allSatisfy { $0["state"] == "synced" })
                #expect(till["tombstones"] == [])
            }
            return hub
        }

        func conflict() throws -> String {
            let refused = try shop.document("sync", "rejected")["items"]?.array ?? []
            try #require(refused.count == 1)
            #expect(refused.first?["state"] == "conflicted")
            #expect(refused.first?["policy"] == "escalate")
            return try #require(refused.first?["id"]?.string)
        }
    }

    @Test(
        "The same field: the later write at the hub is valid; another field that was written meanwhile stays")
    func fields() throws {
        var stage = try Stage()
        _ = try stage.shop.document("note", "edit", stage.note, "mine")
        _ = try stage.other.document("note", "edit", stage.note, "theirs")
        try stage.other.sync()
        try stage.write(["author": "Bob", "colour": "red"])
        try stage.comeBack()
        let end = try stage.end()
        #expect(end?["text"] == "mine")
        #expect(end?["author"] == "Bob")
        #expect(end?["colour"] == "red")
    }

    @Test(
        "An edit of what was deleted meanwhile is a conflict; given up or kept, both tills end as the hub",
        arguments: ["server", "mine", "discard"])
    func deletedMeanwhile(_ response: String) throws {
        let stage = try Stage()
        _ = try stage.shop.document("note", "edit", stage.note, "mine")
        _ = try stage.other.document("note", "delete", stage.note)
        try stage.other.sync()
        try stage.comeBack()
        let conflict = try stage.conflict()
        if response == "discard" {
            _ = try stage.shop.document("sync", "discard", conflict, "--reason", "old")
        } else {
            _ = try stage.shop.document("sync", "resolve", conflict, "--keep", response)
        }
        let end = try stage.end()
        #expect(end?["text"] == (response == "mine" ? "mine" : nil))
        #expect(end?["author"] == (response == "mine" ? "Ann" : nil))
    }

    @Test(
        "A deletion behind an edit of one's own takes no foreign edit with it that the feed brought between")
    func deletionBehindEdit() throws {
        var stage = try Stage(.front)
        _ = try stage.shop.document("note", "edit", stage.note, "mine")
        try stage.write(["colour": "red"])
        stage.shop.front?.reply { $0.isPush ? .response(status: 503, body: "{}") : .pass }
        _ = try stage.shop.document("offline", "off")
        _ = try stage.shop.pos("sync", "now")
        #expect(try stage.shop.document("note", "list")["notes"]?.array?.first?["text"] == "mine")
        _ = try stage.shop.document("note", "delete", stage.note)
        stage.shop.front?.reply { _ in .pass }
        _ = try stage.shop.document("sync", "now")
        let conflict = try stage.conflict()
        _ = try stage.shop.document("sync", "resolve", conflict, "--keep", "server")
        let end = try stage.end()
        #expect(end?["text"] == "mine")
        #expect(end?["colour"] == "red")
    }
}
