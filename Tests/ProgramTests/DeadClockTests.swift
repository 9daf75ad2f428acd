import Foundation
import HubProtocol
import TestKit
import Testing

/// A till whose clock lost its battery, or was set wrong by hand.
@Suite("A wrong clock", .onStage, .serialized, .enabled(if: ShiftedClock.compiler != nil))
struct DeadClockTests {
    private func sell(
        _ shop: ShopUnderTest, _ count: Int, with settings: ShopSettings = [:]
    ) throws -> [JSONValue] {
        try (0..<count).map { _ in
            let end = try shop.pos("sell", "--line", Article.assortment[0].barcode, "--json", with: settings)
            guard end.exitCode == 0 else { throw ShopError.commandFailed(["sell"], end) }
            return try end.document()
        }
    }

    @Test("In 1970, ten years ahead and back: days and ids are right, everything arrives once")
    func shifted() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        // Tokens that expire at once: the till renews with a date that the hub has to correct.
        let file = shop.folder.path("hub.json")
        try #"{"tokens":{"lifetimeSeconds":1}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        shop.serveArguments = ["--config", file]
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        let clock = try ShiftedClock(in: shop.folder)
        let dead = clock.settings(shiftedBy: 86_400 - Int(Date().timeIntervalSince1970))
        let fast = clock.settings(shiftedBy: 10 * 365 * 86_400)
        var sold = try sell(shop, 2)
        // A command without an agent counts the hub's time on from the last one.
        for wrong in [dead, fast] {
            sold += try sell(shop, 2, with: wrong)
            #expect(try shop.document("sync", "now", with: wrong)["pending"] == 0)
        }
        sold += try sell(shop, 2)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let days = sold.compactMap { $0["orderNumber"]?.string?.split(separator: "-")[2] }
        #expect(Set(days).count == 1)
        let ids = sold.compactMap { $0["orderId"]?.string }
        #expect(ids == ids.sorted())
        #expect(Set(sold.compactMap { $0["orderNumber"]?.string }).count == sold.count)
        let today = try #require(sold[0]["orderNumber"]?.string?.split(separator: "-")[2])
        #expect(try shop.exportedDays().allSatisfy { $0 == today })
        let audit = try shop.audit()
        #expect(audit.orders == Int64(sold.count))
        #expect(audit.isComplete)
    }

    @Test("A hub whose clock leaps by two days stops no sale, and its next right response ends the leap")
    func leapingHub() throws {
        let shop = try ShopUnderTest()
        let clock = try ShiftedClock(in: shop.folder)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.killHub()
        try shop.startHub(with: clock.settings(shiftedBy: 2 * 86_400))
        try shop.waitUntil("the leap", within: 60) { $0["clock"]?["state"] == "hubLeapt" }
        let troubles = try shop.status()["banner"]?["troubles"]?.array
        #expect(troubles?.contains("hubClockLeapt") == true)
        _ = try sell(shop, 2)
        // Without the hub, too.
        shop.killHub()
        _ = try sell(shop, 1)
        try shop.startHub()
        try shop.waitUntil("the end of the leap", within: 60) { $0["clock"]?["state"] == "agrees" }
        _ = try sell(shop, 1)
        #expect(Set(try shop.exportedDays()).count == 1)
    }

    @Test("Once the hub has named its time, a clock that is years off sells only when a person confirms it")
    func refused() throws {
        let shop = try ShopUnderTest()
        let clock = try ShiftedClock(in: shop.folder)
        try shop.startAgent(with: clock.settings(shiftedBy: 1095 * 86_400))
        try shop.waitUntilReachable()
        try shop.waitUntil("the hub's time", within: 20) { $0["clock"]?["hubAheadMs"]?.integer != nil }
        let line = ["sell", "--line", Article.assortment[0].barcode, "--json"]
        let end = try shop.pos(line)
        #expect((end.exitCode, end.errorCode) == (1, "clock_differs"))
        #expect(try shop.status()["banner"]?["troubles"]?.array?.contains("clockDiffers") == true)
        #expect(try shop.doctorDetail(on: "clock")?.contains("1095 days ahead of the hub's") == true)
        #expect(try shop.orders() == [])
        let typed = [Article.assortment[0].barcode, "pay", "clock", "pay", "q"]
        let till = try shop.pos("sell", input: typed)
        #expect(till.text.contains("type clock"))
        #expect(try shop.orders().count == 1)
        #expect(try shop.pos(line + ["--clock-confirmed"]).exitCode == 0)
    }
}

extension ShopUnderTest {
    /// The business days of all sales in the till's journal, as eight digits.
    fileprivate func exportedDays() throws -> [String] {
        let file = folder.path("plain.jsonl")
        _ = try document("sync", "export", file, "--plain", "--reason", "a test")
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard let entry = try? JSONParser.parse(line.utf8) else { return nil }
            let payload = (entry["mutation"] ?? entry)["payload"]
            return payload?["orderNumber"] == nil
                ? nil : payload?["businessDay"]?.string?.filter { $0 != "-" }
        }
    }
}
