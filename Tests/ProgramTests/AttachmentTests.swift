import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Signed receipts and photos from the command line to the hub's store.
@Suite("Attachments", .onStage, .serialized)
struct AttachmentTests {
    /// What of an upload went through the front.
    private struct Part {
        let range: ContentRange

        init?(_ request: HubFront.Request) {
            guard request.method == "PUT", request.path.hasSuffix("/content"),
                let range = request.headers["content-range"].flatMap(ContentRange.init)
            else { return nil }
            self.range = range
        }

        var first: Int64? {
            guard case .part(let range, _) = range else { return nil }
            return range.lowerBound
        }
    }

    private func parts(_ shop: ShopUnderTest) -> [Part] { shop.front?.requests.compactMap(Part.init) ?? [] }

    /// A text, since the front reads bodies as texts.
    private func file(_ shop: ShopUnderTest, _ bytes: Int, _ name: String = "slip.txt") throws -> String {
        let path = shop.folder.path(name)
        let line = (0..<64).map {
            "0123456789abcdef"[String.Index(utf16Offset: $0 % 16, in: "0123456789abcdef")]
        }
        let text = String(repeating: String(line), count: bytes / 64)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func atHub(_ shop: ShopUnderTest) throws -> [JSONValue] {
        try shop.posHub("attachments", "list")["attachments"]?.array ?? []
    }

    /// Slows the upload down, so that a test gets in between.
    private func slow(_ shop: ShopUnderTest, by seconds: Double) {
        shop.front?.reply { request in Part(request) == nil ? .pass : .passAfter(seconds: seconds) }
    }

    @Test("A note with a photo arrives once the photo has, and the photo is the same bytes")
    func roundTrip() throws {
        let shop = try ShopUnderTest()
        let photo = shop.folder.path("photo.jpg")
        let bytes = Data([0xFF, 0xD8, 0xFF] + (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try bytes.write(to: URL(fileURLWithPath: photo))
        let note = try shop.document("note", "add", "Returned goods", "--attach", photo)
        let id = try #require(note["attachments"]?.array?.first?["id"]?.string)
        #expect(note["attachments"]?.array?.first?["contentType"] == "image/jpeg")
        let waiting = try shop.document("sync", "status")
        #expect(waiting["items"]?.array?.first?["waitsForAttachments"] == [.string(id)])
        #expect(waiting["attachments"]?.array?.first?["size"] == .integer(Int64(bytes.count)))
        let synced = try shop.document("sync", "now")
        #expect(synced["pending"] == 0)
        #expect(synced["attachments"] == [])
        let stored = try #require(try atHub(shop).first)
        let copy = shop.folder.path("copy.jpg")
        let terminal = try #require(stored["terminalId"]?.string)
        try shop.posHub("attachments", "save", id, copy, "--terminal", terminal)
        #expect(FileManager.default.contents(atPath: copy) == bytes)
        #expect(try shop.audit().isComplete)
    }

    @Test("A till killed in the middle goes on where the hub has come, not from the start")
    func tillKilled() throws {
        let shop = try ShopUnderTest(.front)
        slow(shop, by: 0.3)
        let slip = try file(shop, 6 << 20)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("note", "add", "x", "--attach", slip, "--urgent")
        try shop.waitUntil("three chunks", within: 30) { _ in
            parts(shop).filter { $0.first ?? 0 > 0 }.count >= 3
        }
        shop.killAgent()
        let before = parts(shop).count
        shop.front?.reply { _ in .pass }
        let there = try #require(try atHub(shop).first?["received"]?.integer)
        #expect(there > 256 << 10)
        try shop.startAgent()
        try shop.waitUntilDrained(within: 40)
        let after = parts(shop).dropFirst(before).map(\.range)
        #expect(after.first == .query(total: 6 << 20))
        let begins = parts(shop).dropFirst(before).compactMap(\.first).min()
        #expect(try #require(begins) >= there)
        #expect(try shop.audit().isComplete)
        #expect(try atHub(shop).first?["completeAt"]?.string != nil)
    }

    @Test("A hub killed in the middle keeps what it has; sales pass meanwhile and after")
    func hubKilled() throws {
        let shop = try ShopUnderTest(.front)
        slow(shop, by: 0.3)
        let slip = try file(shop, 3 << 20)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("note", "add", "x", "--attach", slip, "--urgent")
        try shop.waitUntil("two chunks", within: 30) { _ in
            parts(shop).filter { $0.first ?? 0 > 0 }.count >= 2
        }
        let before = parts(shop).count
        shop.front?.reply { _ in .pass }
        shop.killHub()
        #expect(try shop.document("sell", "--line", Article.assortment[0].barcode)["orderId"] != nil)
        try shop.startHub()
        try shop.waitUntilDrained(within: 60)
        #expect(parts(shop).dropFirst(before + 1).compactMap(\.first).allSatisfy { $0 > 0 })
        #expect(try shop.audit().isComplete)
        #expect(try shop.audit().orders == 1)
    }

    @Test("Till and hub killed at random moments, again and again: the attachment arrives complete and once")
    func killedAgainAndAgain() throws {
        let shop = try ShopUnderTest(.front)
        slow(shop, by: 0.1)
        _ = try shop.document("note", "add", "x", "--attach", try file(shop, 4 << 20), "--urgent")
        var random = SplitMix64(seed: 11)
        for round in 0..<6 {
            try shop.startAgent()
            Thread.sleep(forTimeInterval: 0.3 + Double(random.below(900)) / 1000)
            if round % 2 == 0 {
                shop.killHub()
                try shop.startHub()
            }
            shop.killAgent()
        }
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let stored = try atHub(shop)
        #expect(stored.count == 1)
        #expect(stored.first?["completeAt"]?.string != nil)
        #expect(try shop.audit().isComplete)
        #expect(try shop.audit().received == 1)
    }

    @Test(
        "On a narrow path the note waits with its reason, sales and voids pass, and an urgent attachment is sent"
    )
    func constrained() throws {
        let shop = try ShopUnderTest()
        shop.settings = shop.settings.with(["POS_NETWORK_CONSTRAINED": "true"])
        let slip = try file(shop, 100_032)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("note", "add", "can wait", "--attach", slip)
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let number = try #require(sale["orderNumber"]?.string)
        _ = try shop.document("orders", "void", number, "--attach", slip)
        try shop.waitUntil("the note alone waits", within: 20) { $0.pending == 1 }
        let status = try shop.document("sync", "status")
        #expect(status["items"]?.array?.map { $0["type"] } == ["note.upserted"])
        let held = try #require(status["attachments"]?.array?.first)
        #expect(held["state"] == "held")
        #expect(held["heldBy"] == ["constrained"])
        #expect(try shop.pos("sync", "now").exitCode == 75)
        #expect(try atHub(shop).map { $0["urgent"] } == [true])
        _ = try shop.document("note", "add", "now", "--attach", slip, "--urgent")
        try shop.waitUntil("the urgent note went", within: 20) { $0.pending == 1 }
        #expect(try atHub(shop).count == 2)
        shop.killAgent()
        shop.settings = shop.settings.with(["POS_NETWORK_CONSTRAINED": "false"])
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.audit().isComplete)
    }

    @Test("A URL that expires on the way is renewed, and the upload goes on where it stood")
    func expiredURL() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try "{\"attachments\":{\"urlLifetimeSeconds\":3}}".write(
            toFile: file, atomically: true, encoding: .utf8)
        let shop = try ShopUnderTest(.front, serving: ["--config", file])
        slow(shop, by: 0.7)
        let slip = try self.file(shop, 6 << 20)
        _ = try shop.document("note", "add", "x", "--attach", slip, "--urgent")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let announced = shop.front?.requests.filter { $0.path == Routes.attachments }.count ?? 0
        #expect(announced > 1)
        #expect(parts(shop).filter { $0.first == 0 }.count == 1)
    }

    @Test("Bytes that were corrupted on the way are detected by their digest and sent again")
    func corrupt() throws {
        let shop = try ShopUnderTest(.front)
        let slip = try file(shop, 64_000)
        let note = try shop.document("note", "add", "x", "--attach", slip)
        let id = try #require(note["attachments"]?.array?.first?["id"]?.string)
        let copy = shop.home + "/attachments/" + id
        let good = try Data(contentsOf: URL(fileURLWithPath: copy))
        try Data(repeating: 65, count: good.count).write(to: URL(fileURLWithPath: copy))
        #expect(try shop.pos("sync", "now").exitCode == 75)
        let held = try #require(try shop.document("sync", "status")["attachments"]?.array?.first)
        #expect(held["problem"]?.string?.contains("other bytes") == true)
        #expect(try atHub(shop).first?["received"] == 0)
        try good.write(to: URL(fileURLWithPath: copy))
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.audit().isComplete)
    }

    @Test("The file of a dead till carries what it could not upload")
    func exported() throws {
        let shop = try ShopUnderTest()
        let slip = try file(shop, 2 << 20)
        _ = try shop.document("note", "add", "x", "--attach", slip, "--urgent")
        let export = shop.folder.path("journal.jsonl")
        #expect(try shop.document("sync", "export", export)["attachments"] == 1)
        let lines = try String(contentsOfFile: export, encoding: .utf8).split(separator: "\n").map(
            String.init)
        let cut = shop.folder.path("cut.jsonl")
        try (lines.prefix(2) + lines.dropFirst(3)).joined(separator: "\n")
            .write(toFile: cut, atomically: true, encoding: .utf8)
        let refused = try ProgramUnderTest.run("pos-hub", ["ingest", cut] + shop.storeArguments)
        #expect(refused.exitCode == 4)
        #expect(try atHub(shop).isEmpty)
        let taken = try shop.posHub("ingest", export)
        #expect(taken["applied"] == 1)
        #expect(taken["attachments"] == 1)
        #expect(try atHub(shop).first?["completeAt"]?.string != nil)
        #expect(try shop.posHub("ingest", export)["duplicate"] == 1)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.audit().isComplete)
    }

    @Test("A till that is enrolled anew uploads again what its new self does not have at the hub")
    func enrolledAnew() throws {
        let shop = try ShopUnderTest(.front)
        let slip = try file(shop, 64_000)
        _ = try shop.document("note", "add", "x", "--attach", slip, "--urgent")
        shop.front?.reply { $0.isPush ? .response(status: 503, body: "{}") : .pass }
        #expect(try shop.pos("sync", "now").exitCode == 75)
        #expect(try atHub(shop).first?["completeAt"]?.string != nil)
        shop.front?.reply { _ in .pass }
        try shop.initialiseTill()
        try shop.startAgent()
        try shop.waitUntilDrained(within: 30)
        #expect(try atHub(shop).count == 2)
    }

    @Test("An upload begun at one hub goes on at another over the same database")
    func twoHubs() throws {
        guard PostgresServer.isAvailable else { return }
        let store = try PostgresServer.shared.get().freshSchema()
        let hubs = [try HubUnderTest(store: store), try HubUnderTest(store: store)]
        let till = try hubs[0].enrol()
        let text = String(repeating: "x", count: 1000)
        let info = AttachmentInfo(
            id: TillOverHTTP.ulid(), sha256: Digest.sha256Hex(Array(text.utf8)), size: 1000,
            contentType: "text/plain", isUrgent: false)
        let response = try hubs[0].client().request(
            "POST", Routes.attachments, headers: till.headers, body: info.json.canonicalText)
        #expect(response.status == 201)
        let url = try UploadGrant(json: response.json()).uploadURL
        let path = try #require(url.range(of: "/v1/")).lowerBound
        func put(_ hub: Int, _ range: String, _ body: String) throws -> LoopbackResponse {
            try hubs[hub].client().request(
                "PUT", String(url[path...]), headers: ["Content-Range": range], body: body)
        }
        #expect(try put(0, "bytes 0-399/1000", String(text.prefix(400))).headers["range"] == "bytes=0-399")
        hubs[0].program.kill()
        #expect(try put(1, "bytes */1000", "").headers["range"] == "bytes=0-399")
        #expect(try put(1, "bytes 0-399/1000", String(text.prefix(400))).headers["range"] == "bytes=0-399")
        #expect(try put(1, "bytes 400-999/1000", String(text.prefix(600))).status == 200)
    }

    @Test("A path that is no file records nothing, and the error is one line")
    func noFile() throws {
        let shop = try ShopUnderTest()
        let end = try shop.pos("note", "add", "x", "--attach", "/no/such/file", "--json")
        #expect(end.exitCode == 2)
        #expect(end.errorCode == "file_not_readable")
        #expect(try shop.document("note", "list")["notes"] == [])
    }
}
