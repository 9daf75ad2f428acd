import Foundation
import HubProtocol
import TestKit
import Testing

/// How a hub and its tills part with an old schema (http.md section 1).
@Suite("Schemas that end", .onStage, .serialized)
struct SchemaGateTests {
    private static func retiring(_ schema: Int64) -> String {
        #"{"schemas":{"deprecated":{"\#(schema)":{"deprecatedAt":"2026-01-01T00:00:00Z","#
            + #""sunsetAt":"2090-02-01T00:00:00Z"}}}}"#
    }

    private static func refusing(below minimum: Int64) -> String {
        #"{"schemas":{"minimum":\#(minimum)}}"#
    }

    private func write(_ configuration: String, in folder: TemporaryFolder) throws -> String {
        let file = folder.path("schemas.json")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test("Banner and doctor show until when the hub serves the schema of the till")
    func warned() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        shop.serveArguments = ["--config", try write(Self.retiring(Schema.current), in: shop.folder)]
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        _ = try shop.document("sync", "now")
        // Read from the disk: no agent runs.
        let schema = try shop.document("status")["schema"]
        #expect(schema?["state"] == "retiring")
        #expect(schema?["sunsetAt"] == "2090-02-01T00:00:00.000Z")
        #expect(try shop.pos("status").text.contains("answers this version until 2090-02-01"))
        #expect(try shop.pos("sync", "status").text.contains("2090-02-01"))
        let check = try shop.document("doctor")["checks"]?.array?.first { $0["name"] == "version" }
        #expect(check?["detail"]?.string?.contains("2090-02-01") == true)
    }

    @Test(
        "A till that is too old sells on, keeps its outbox, reports it, and drains once it is accepted again")
    func refused() throws {
        let payments = ["--payments", "simulator:approve"]
        let shop = try ShopUnderTest(serving: payments)
        try shop.startAgent()
        shop.killHub()
        shop.serveArguments =
            payments + [
                "--config", try write(Self.refusing(below: Schema.current + 1), in: shop.folder),
            ]
        try shop.startHub()
        for _ in 0..<3 {
            let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
            #expect(sale["sync"] == "pending")
        }
        try shop.waitUntil("the till knows", within: 20) { $0["schema"]?["state"] == "refused" }
        let status = try shop.status()
        #expect(status["mode"] == "online")
        #expect(status["outbox"]?["pending"] == 3)
        #expect(status["banner"]?["troubles"]?.array?.first == "tooOld")
        #expect(status["banner"]?["text"]?["en"]?.string?.contains("newer version") == true)
        let card = try shop.pos("sell", "--line", Article.assortment[0].barcode, "--pay", "card", "--json")
        #expect(card.errorCode == "card_offline")
        #expect(status["capabilities"]?["payment.card"]?["obstacle"]?["reason"] == "tooOld")
        let sync = try shop.document("sync", "status")
        #expect(sync["drain"]?.string?.contains("newer version") == true)
        #expect(try shop.pos("sync", "status").text.contains("newer version"))
        let now = try shop.pos("sync", "now")
        #expect(now.exitCode == 75)
        #expect(now.errors.contains { $0.contains("newer version") })
        shop.killAgent()
        #expect(try shop.document("status")["schema"]?["state"] == "refused")
        shop.killHub()
        shop.serveArguments = payments
        try shop.startHub()
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.document("status")["schema"]?["state"] == "welcome")
        let audit = try shop.audit()
        #expect(audit.orders == 3)
        #expect(audit.isComplete)
    }
}
