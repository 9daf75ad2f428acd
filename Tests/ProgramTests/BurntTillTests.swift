import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// The end of a bad day: the hub is away, a till burns, and another one finds a way out.
@Suite("A till that burns", .onStage)
struct BurntTillTests {
    /// A till of the shop with a way to the hub of its own, which can be cut.
    private struct Till {
        let way: FaultRelay
        let till: SeeingTill
        let id: String

        func sell(_ articles: [Int]) throws -> Int64 {
            try articles.reduce(0) { sum, number in
                let article = Article.assortment[number]
                _ = try till.document("sell", "--line", article.barcode)
                return sum + article.price
            }
        }
    }

    private func tills(in shop: ShopUnderTest) throws -> [Till] {
        let places = try SeeingTill.freePlaces(3)
        return try places.enumerated().map { index, place in
            let way = try FaultRelay(target: shop.hubPort)
            let till = try SeeingTill(
                shop, "till\(index + 1)", greeting: places, listening: place,
                hub: "http://127.0.0.1:\(way.port)")
            let id = try till.document("status")["terminalId"]?.string
            return Till(way: way, till: till, id: try #require(id))
        }
    }

    /// What the hub has of a till.
    private struct Sold: Equatable {
        let orders: Int64?
        let total: Int64?
    }

    /// By the ids of the tills.
    private func sold(in shop: ShopUnderTest) throws -> [String: Sold] {
        var found: [String: Sold] = [:]
        for terminal in try shop.terminalAudits() {
            let audit = HubAudit(terminal)
            found[terminal["terminalId"]?.string ?? ""] = Sold(orders: audit.orders, total: audit.total)
        }
        return found
    }

    private func kept(_ picture: JSONValue, of number: Int64) -> Int64 {
        let till = picture["neighbours"]?.array?.first { $0["number"]?.integer == number }
        return till?["weKeep"]?.integer ?? 0
    }

    @Test(
        "What three tills sold without the hub arrives once by the one that has a way, and a late copy adds nothing",
        arguments: HubStoreKind.all)
    func burnt(_ kind: HubStoreKind) throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        shop.store = try kind.place(in: shop.folder)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.posHub("store-config", "set", "--store-id", "S1", "neighbours.enabled=on")
        let tills = try tills(in: shop)
        defer { tills.forEach { $0.way.stop() } }
        let (one, two, three) = (tills[0], tills[1], tills[2])
        for _ in 0..<2 { for till in tills { _ = try till.till.document("sync", "now") } }
        for till in tills {
            try till.till.sees("both other tills", within: 40) { picture in
                picture["neighbours"]?.array?.count { $0["state"]?.string == "reachable" } == 2
            }
        }
        let shift = try one.till.document("shift", "open", "--float", "20000")
        let shiftId = try #require(shift["shiftId"]?.string)
        _ = try one.till.document("sync", "now")

        // The hub is away for all, and all sell.
        tills.forEach { $0.way.setMode(.refusing) }
        var first = try one.sell([0, 1, 4])
        let copy = shop.folder.path("copy")
        one.till.kill()
        try? FileManager.default.removeItem(atPath: one.till.home + "/agent.sock")
        try FileManager.default.copyItem(atPath: one.till.home, toPath: copy)
        try one.till.start()
        first += try one.sell([5, 6])
        _ = try one.till.document("shift", "close", "--counted", "\(20_000 + first)")
        let second = try two.sell([0, 0, 9])
        let third = try three.sell([1, 1])
        let pending = try #require(try one.till.document("status")["outbox"]?["pending"]?.integer)
        #expect(pending >= 6)
        for keeper in [two, three] {
            try keeper.till.sees("the first till's entries", within: 60) { kept($0, of: 1) >= pending }
        }
        try one.till.sees("the copies of its entries") { picture in
            picture["neighbours"]?.array?.allSatisfy { ($0["keepsForUs"]?.integer ?? 0) >= pending } == true
        }
        #expect(try one.till.document("status")["outbox"]?["copied"]?.integer == pending)

        // The first till burns. The third one finds a way.
        one.till.kill()
        try FileManager.default.removeItem(atPath: one.till.home)
        three.way.setMode(.open)
        let want = [
            one.id: Sold(orders: 5, total: first), two.id: Sold(orders: 3, total: second),
            three.id: Sold(orders: 2, total: third),
        ]
        try eventually("everything has arrived", within: 90) { try sold(in: shop) == want }
        try eventually("the shift's statement", within: 40) {
            try shop.posHub("shifts", "show", shiftId)["state"] == "confirmed"
        }
        try three.till.sees("that nothing is kept any more", within: 40) {
            kept($0, of: 1) == 0 && kept($0, of: 2) == 0
        }

        // The second till's way comes back, and an older copy of the first till's disk turns up.
        two.way.setMode(.open)
        one.way.setMode(.open)
        try FileManager.default.moveItem(atPath: copy, toPath: one.till.home)
        try one.till.start()
        for till in [two, one] {
            try till.till.sees("its own outbox empty", within: 60) { _ in
                try till.till.document("status")["outbox"]?["pending"]?.integer == 0
            }
        }
        #expect(try sold(in: shop) == want)
        // What the copy sells from then on is new.
        let more = try one.sell([0])
        try eventually("the copy's own sale", within: 60) {
            try sold(in: shop)[one.id] == Sold(orders: 6, total: first + more)
        }
    }

    private func eventually(
        _ what: String, within seconds: Double, _ condition: () throws -> Bool
    ) throws {
        let end = Date().addingTimeInterval(seconds)
        while try !condition() {
            guard Date() < end else { throw ShopError.notReached(what, last: "") }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }
}
