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
            let end = try shop.pos("sell", "--line", Article.shelf[0].barcode, "--json", with: settings)
            guard end.exitCode == 0 else { throw ShopError.commandFailed(["sell"], end) }
            return try end.document()
        }
    }

    @Test("In 1970, ten years ahead and back: ids go up, numbers never repeat, everything arrives once")
    func shifted() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        // Tokens that expire at once: the till renews with a date that the hub has to correct.
        let file = shop.folder.path("hub.json")
        try #"{"tokens":{"lifetimeSeconds":1}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        shop.serveArguments = ["--config", file]
        try shop.startHub()
        try shop.importCatalogue(Article.shelf)
        try shop.initialiseTill()
        let clock = try ShiftedClock(in: shop.folder)
        let dead = clock.settings(shiftedBy: 86_400 - Int(Date().timeIntervalSince1970))
        let fast = clock.settings(shiftedBy: 10 * 365 * 86_400)
        var sold = try sell(shop, 2)
        sold += try sell(shop, 2, with: dead)
        #expect(try shop.document("sync", "now", with: dead)["pending"] == 0)
        sold += try sell(shop, 2, with: fast)
        #expect(try shop.document("sync", "now", with: fast)["pending"] == 0)
        sold += try sell(shop, 2)
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let days = sold.compactMap { $0["orderNumber"]?.string?.split(separator: "-")[2] }
        #expect(days[0] == days[3])
        #expect(days[4] > days[3])
        #expect(days[7] == days[4])
        let ids = sold.compactMap { $0["orderId"]?.string }
        #expect(ids == ids.sorted())
        #expect(Set(sold.compactMap { $0["orderNumber"]?.string }).count == sold.count)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(sold.count))
        #expect(audit.isWhole)
    }
}
