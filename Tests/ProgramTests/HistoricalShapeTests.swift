import Foundation
import HubProtocol
import TestKit
import Testing

/// What today's till sends is on record; `HubServerTests` sends what is on record to the hub.
@Suite("Shapes on record", .onStage, .serialized)
struct HistoricalShapeTests {
    @Test("Every shape that today's till writes is on record")
    func recorded() throws {
        let shop = try ShopUnderTest(serving: ["--payments", "simulator"])
        try shop.importRows(.members, "M1,555555,Li,0,")
        try shop.importRows(.promotions, "P1,Welcome,amount,,,,50,,,,true")
        try shop.importRows(.coupons, "HELLO,P1,,,,true")
        _ = try shop.document("sync", "now")
        let barcode = Article.assortment[0].barcode
        _ = try shop.document("sell", "--line", barcode, "--member", "555555", "--coupon", "HELLO")
        let cash = try shop.document("sell", "--line", barcode)
        let card = try shop.document("sell", "--line", barcode, "--pay", "card")
        let request: JSONValue = [
            "lines": [
                ["barcode": .string(barcode), "discountMinor": 1, "discountReason": "dented"]
            ]
        ]
        #expect(try shop.pos("sell", "--stdin", "--json", input: [request.canonicalText]).exitCode == 0)
        for sale in [cash, card] {
            _ = try shop.document("orders", "void", try #require(sale["orderId"]?.string))
        }
        let slip = shop.folder.path("slip.txt")
        try "slip".write(toFile: slip, atomically: true, encoding: .utf8)
        let returned = try #require(try shop.document("sell", "--line", barcode)["orderId"]?.string)
        _ = try shop.document("orders", "void", returned, "--attach", slip)
        let pair = try #require(try shop.document("sell", "--line", barcode + ":2")["orderId"]?.string)
        _ = try shop.document("orders", "refund", pair, "--line", barcode + ":1")
        _ = try shop.document(
            "orders", "refund", pair, "--reason", "stale", "--cashier", "7", "--attach", slip)
        let note = try #require(try shop.document("note", "add", "wet floor")["id"]?.string)
        _ = try shop.document("note", "add", "broken jar", "--author", "Ann", "--attach", slip)
        _ = try shop.document("sync", "now")
        _ = try shop.document("note", "edit", note, "dry floor")
        _ = try shop.document("note", "edit", note, "drier floor", "--attach", slip)
        _ = try shop.document("note", "delete", note)
        try check(shop, entries: 17)
    }

    @Test("Every shape of a shift is on record")
    func shifts() throws {
        let shop = try ShopUnderTest()
        let barcode = Article.assortment[0].barcode
        _ = try shop.document("shift", "no-sale", "--reason", "morning")
        _ = try shop.document("shift", "open", "--float", "20000")
        let sales = try [2, 1].map { try shop.document("sell", "--line", "\(barcode):\($0)") }
        let orders = try sales.map { try #require($0["orderId"]?.string) }
        _ = try shop.document(
            "orders", "refund", orders[0], "--line", "\(barcode):1", "--reason", "dented")
        _ = try shop.document("orders", "void", orders[1], "--reason", "wrong")
        for kind in ["in", "out", "drop"] {
            _ = try shop.document("shift", "cash", kind, "500", "--reason", "coins")
        }
        _ = try shop.document("shift", "no-sale", "--reason", "change")
        _ = try shop.document("shift", "close", "--counted", "20500")
        try check(shop, entries: 11)
    }

    private func check(_ shop: ShopUnderTest, entries count: Int) throws {
        let recorded = try RecordedPushes.all().reduce(into: Set<MutationShape>()) { $0.formUnion($1.shapes) }
        let file = shop.folder.path("journal.jsonl")
        _ = try shop.document("sync", "export", file, "--plain", "--reason", "a test")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let entries = try lines.map { try JSONParser.parse($0.utf8) }.filter { $0["sequence"] != nil }
        #expect(entries.count == count)
        for shape in Set(entries.map(MutationShape.init)) {
            #expect(
                recorded.contains { shape.isPart(of: $0) },
                "not on record; add one as docs/internals/testing.md describes: \(shape)")
        }
    }
}
