import Foundation
import HubProtocol
import TestKit
import Testing

/// The shift's notes over two tills of one store and their hub.
@Suite("Notes", .onStage, .serialized)
struct NoteTests {
    private func sync(_ shop: ShopUnderTest) throws { _ = try shop.document("sync", "now") }

    private func notes(_ shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.document("note", "list")["notes"]?.array ?? []
    }

    private func id(_ note: JSONValue) throws -> String { try #require(note["id"]?.string) }

    @Test("A note goes to the other till, its edit and its deletion too")
    func roundTrip() throws {
        let shop = try ShopUnderTest()
        let other = try OtherTill(shop)
        let note = try id(try shop.document("note", "add", "Milk is late", "--author", "Ann"))
        try sync(shop)
        #expect(try notes(shop).map { $0["state"] } == ["synced"])
        try other.sync()
        #expect(try other.notes().map { $0["text"] } == ["Milk is late"])
        #expect(try other.notes().first?["author"] == "Ann")
        _ = try other.document("note", "edit", note, "Milk is here")
        #expect(try other.notes().map { $0["state"] } == ["pending"])
        try other.sync()
        try sync(shop)
        #expect(try notes(shop).map { $0["text"] } == ["Milk is here"])
        #expect(try notes(shop).first?["author"] == "Ann")
        _ = try shop.document("note", "delete", note)
        #expect(try notes(shop).isEmpty)
        #expect(try shop.document("note", "list")["tombstones"]?.array?.count == 1)
        try sync(shop)
        #expect(try shop.document("note", "list")["tombstones"] == [])
        try other.sync()
        #expect(try other.notes().isEmpty)
        #expect(try shop.pos("note", "edit", note, "again").exitCode == 1)
    }

    @Test("What waits here is not overwritten by the feed; in the end the later write at the hub is valid")
    func pendingIsKept() throws {
        let shop = try ShopUnderTest()
        let other = try OtherTill(shop)
        let note = try id(try shop.document("note", "add", "one"))
        try sync(shop)
        try other.sync()
        _ = try shop.document("offline", "on")
        _ = try shop.document("note", "edit", note, "mine")
        _ = try other.document("note", "edit", note, "theirs")
        try other.sync()
        #expect(try notes(shop).map { $0["text"] } == ["mine"])
        _ = try shop.document("offline", "off")
        try sync(shop)
        try other.sync()
        #expect(try notes(shop).map { $0["text"] } == ["mine"])
        #expect(try notes(shop).map { $0["state"] } == ["synced"])
        #expect(try other.notes().map { $0["text"] } == ["mine"])
    }

    @Test("A deletion of what was edited meanwhile is a conflict, which a person ends either way")
    func staleDeletion() throws {
        for keep in ["server", "mine"] {
            let shop = try ShopUnderTest()
            let other = try OtherTill(shop)
            let note = try id(try shop.document("note", "add", "one"))
            try sync(shop)
            try other.sync()
            _ = try shop.document("offline", "on")
            _ = try shop.document("note", "delete", note)
            _ = try other.document("note", "edit", note, "important")
            try other.sync()
            _ = try shop.document("offline", "off")
            try sync(shop)
            let refused = try #require(try shop.document("sync", "rejected")["items"]?.array?.first)
            #expect(refused["state"] == "conflicted")
            #expect(refused["policy"] == "escalate")
            #expect(refused["serverState"]?["value"]?["text"] == "important")
            _ = try shop.document("sync", "resolve", try id(refused), "--keep", keep)
            try sync(shop)
            try other.sync()
            let left: [JSONValue?] = keep == "server" ? ["important"] : []
            #expect(try notes(shop).map { $0["text"] } == left)
            #expect(try other.notes().map { $0["text"] } == left)
        }
    }

    @Test("A note longer than the hub takes is refused here, and the longest one arrives")
    func longest() throws {
        let shop = try ShopUnderTest()
        let end = try shop.pos("note", "add", String(repeating: "x", count: 4097), "--json")
        #expect((end.exitCode, end.errorCode) == (2, "text_too_long"))
        #expect(end.errors.first?.contains("4096") == true)
        #expect(try notes(shop).isEmpty)
        _ = try shop.document("note", "add", String(repeating: "x", count: 4096))
        try sync(shop)
        #expect(try notes(shop).map { $0["state"] } == ["synced"])
    }

    @Test("A cursor that the hub does not serve any more begins a fresh generation; what waits here stays")
    func freshGeneration() throws {
        let shop = try ShopUnderTest(.front)
        _ = try shop.document("note", "add", "old")
        try sync(shop)
        _ = try shop.document("offline", "on")
        _ = try shop.document("note", "add", "new")
        _ = try shop.document("offline", "off")
        shop.front?.reply { request in
            if request.isPush {
                return .response(status: 503, headers: [:], body: "{}")
            }
            guard request.path == Routes.changes, request.target.contains("cursor=") else { return .pass }
            return .response(
                status: 410, headers: ["Content-Type": Problem.contentType, "Cache-Control": "no-store"],
                body: #"{"type":"x","title":"x","status":410,"code":"cursor_expired","detail":"again"}"#)
        }
        _ = try shop.pos("sync", "now")
        #expect(try notes(shop).map { $0["text"] } == ["old", "new"])
        #expect(try notes(shop).map { $0["state"] } == ["synced", "pending"])
        #expect(try shop.document("sell", "--line", Article.assortment[0].barcode)["sync"] == "pending")
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try notes(shop).map { $0["state"] } == ["synced", "synced"])
    }
}
