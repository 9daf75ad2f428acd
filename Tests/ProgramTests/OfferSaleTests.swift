import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Offers of a store, by the hub's response and by the till's copy.
@Suite("Offers in sales", .onStage)
struct OfferSaleTests {
    private static let tea = Article.assortment[0].barcode

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest(.front)
        try shop.importRows(
            .promotions, "P1,Seven and a half,percent,,Test,750,,,,,true",
            "P2,Three for less,bundle,\(Article.assortment[1].sku),,,100,3000,,,true",
            "P3,A coin,amount,,,,33,,,,true", "P4,With a code,amount,,,,500,,,,true",
            "P5,Hub alone,percent,\(Article.assortment[0].sku),,1000,,,,,false")
        try shop.importRows(
            .coupons, "MANY,P4,,,,true", "ONCE,P4,,1,,true", "ASK,P4,,,,false",
            "OLD,P4,,,2020-01-01T00:00:00Z,true",
            "MINE,P4,M1,,,true")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    private func evaluations(_ shop: ShopUnderTest) -> Int {
        shop.front?.requests.count { $0.path == Routes.promotionEvaluation } ?? 0
    }

    private func code(_ shop: ShopUnderTest, _ arguments: String...) throws -> String? {
        let end = try shop.pos(["sell", "--line", Self.tea, "--json"] + arguments)
        #expect(end.exitCode == (end.errorCode == nil ? 0 : 1))
        return end.errorCode
    }

    @Test("Take the same off to the cent with the hub and without, and receipts keep them")
    func equal() throws {
        let shop = try shop()
        var random = SplitMix64(seed: 7)
        // Without the first article, which one promotion reaches with the hub alone.
        let baskets: [JSONValue] = (0..<40).map { number in
            let lines = (0...random.below(6)).map { _ in
                SaleLineRequest(
                    article: Article.assortment[1 + Int(random.below(6))],
                    quantityMilli: 1000 * Int64(1 + random.below(4)))
            }
            return ["lines": .array(lines.map(\.json)), "coupons": number % 2 == 0 ? [] : ["MANY"]]
        }
        func sell() throws -> [JSONValue] {
            let end = try shop.pos("sell", "--stdin", "--json", input: baskets.map(\.canonicalText))
            try #require(end.output.count == baskets.count)
            return try end.output.map { try JSONParser.parse($0.utf8) }
        }
        let online = try sell()
        #expect(evaluations(shop) == baskets.count)
        _ = try shop.document("offline", "on")
        let offline = try sell()
        #expect(evaluations(shop) == baskets.count)
        let offers = online.compactMap { $0["lines"]?.array }.joined().compactMap { $0["offers"]?.array }
            .joined()
        #expect(Set(offers.compactMap { $0["promotionId"]?.string }) == ["P1", "P2", "P3", "P4"])
        for (here, there) in zip(online, offline) {
            #expect(here["error"] == nil)
            for key in ["total", "tax", "lines"] { #expect(here[key] == there[key]) }
        }
        for sale in online.suffix(1) + offline.suffix(1) {
            let shown = try shop.document("orders", "show", try #require(sale["orderId"]?.string))
            #expect(shown["receipt"] == sale["receipt"])
            #expect(shown["lines"] == sale["lines"])
            #expect(sale["receipt"]?.string?.contains("With a code (MANY)") == true)
        }
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained(within: 30)
        let sums = (online + offline).reduce(0) { $0 + ($1["total"]?["amount"]?.integer ?? 0) }
        let audit = try shop.audit()
        #expect(audit.total == sums)
        #expect(audit.isComplete)
    }

    @Test("Refuse a coupon that is not valid, with the hub and without")
    func refused() throws {
        let shop = try shop()
        #expect(try code(shop, "--coupon", "ASK") == nil)
        for code in ["NONE", "OLD", "MINE"] {
            #expect(try self.code(shop, "--coupon", code) == "coupon_refused")
        }
        #expect(try code(shop, "--coupon", "MINE", "--member", "M1") == nil)
        #expect(try code(shop, "--coupon", "ONCE") == nil)
        try shop.waitUntilDrained()
        #expect(try code(shop, "--coupon", "ONCE") == "coupon_refused")
        let end = try shop.pos("sell", "--line", Self.tea, "--coupon", "ONCE")
        #expect(end.errors.last?.contains("ONCE is used up") == true, "\(end.errors)")
        _ = try shop.document("offline", "on")
        for code in ["ASK", "NONE", "OLD", "MINE"] {
            #expect(try self.code(shop, "--coupon", code) == "coupon_refused")
        }
        #expect(try code(shop, "--coupon", "MINE", "--member", "M1") == nil)
        #expect(try shop.orders().count == 4)
    }

    @Test("Let a cashier take a refused coupon away and go on with the same basket")
    func dialogue() throws {
        let shop = try shop()
        let detail = try #require(try shop.doctorDetail(on: "offers"))
        #expect(
            detail.hasPrefix("4 of 5 promotions hold without the hub; 5 coupons are known; last changed "))
        let typed = [Self.tea, "c MANY", "c NONE", "pay", "c", "pay", "q"]
        let end = try shop.pos("sell", input: typed)
        #expect(end.exitCode == 0)
        #expect(end.output.contains { $0.contains("! Nobody knows the coupon NONE") }, "\(end.output)")
        #expect(end.output.contains { $0.contains("With a code (MANY)") })
        #expect(try shop.orders().count == 1)
    }

    @Test("Give a coupon of one use once, also before the hub has received it")
    func onceOffline() throws {
        let shop = try shop()
        _ = try shop.document("offline", "on")
        #expect(try code(shop, "--coupon", "ONCE") == nil)
        #expect(try code(shop, "--coupon", "ONCE") == "coupon_refused")
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        #expect(try code(shop, "--coupon", "ONCE") == "coupon_refused")
    }

    @Test("Give a coupon offline by its digest alone, in any spelling, and the hub redeems the code")
    func digests() throws {
        let shop = try shop()
        try shop.importRows(.coupons, "AUTUMN-2026-XY,P4,,1,,true")
        _ = try shop.document("sync", "now")
        for (name, bytes) in try shop.homeContents() {
            for code in ["AUTUMN-2026-XY", "MANY", "ONCE"] {
                #expect(bytes.range(of: Data(code.utf8)) == nil, "\(name) holds \(code)")
            }
        }
        _ = try shop.document("offline", "on")
        #expect(
            try code(shop, "--coupon", "autumn-2026-xy", "--coupon", "AUTUMN-2026-XY") == "coupon_refused")
        #expect(try code(shop, "--coupon", "autumn-2026-xy") == nil)
        #expect(try code(shop, "--coupon", "AUTUMN-2026-XY") == "coupon_refused")
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained()
        #expect(try code(shop, "--coupon", "AUTUMN-2026-XY") == "coupon_refused")
        #expect(try shop.audit().rejected == 0)
    }

    @Test("With a hub that never responds one sale waits for a moment, and the till stays online")
    func silent() throws {
        let shop = try shop()
        shop.front?.reply { $0.path == Routes.promotionEvaluation ? .silence(seconds: 20) : .pass }
        let sales = try shop.openSales()
        let request: JSONValue = ["lines": [["barcode": .string(Self.tea)]], "coupons": ["MANY"]]
        let first = try sales.sell(request)
        #expect((first["elapsedMs"]?.number ?? .infinity) < 2700)
        // 1250 less 7.5 %, 33 and 500, as without the hub.
        #expect(first["total"]?["amount"] == 623)
        let others = try (0..<5).map { _ in try sales.sell(request) }
        #expect(others.areUnhindered)
        #expect(others.allSatisfy { $0["total"] == first["total"] && $0.mode == "online" })
        #expect(sales.close() == 0)
        // The others' requests were sent too, at most four at a time, and no sale waited for them.
        #expect((2...5).contains(evaluations(shop)))
    }

    @Test(
        "Use the till's copy when QoS decides that marketing is faulty, and the hub again once it is not"
    )
    func marketingFault() throws {
        let shop = try shop()
        try shop.posHub("qos", "set", "marketing", "faulty", "--reason", "campaign is being moved")
        shop.front?.reply {
            $0.path == Routes.promotionEvaluation ? .response(status: 503, body: "{}") : .pass
        }
        let sales = try shop.openSales()
        let request: JSONValue = ["lines": [["barcode": .string(Self.tea)]]]
        try shop.waitUntil("marketing by the till's copy", within: 30) { _ in
            let sale = try sales.sell(request)
            #expect(sale["total"]?["amount"] == 1123)
            return try shop.route(of: "marketing") == "local"
        }
        #expect(try shop.status().mode == "online")
        #expect(try shop.route(of: "member") == "online")
        let before = evaluations(shop)
        _ = try sales.sell(request)
        #expect(evaluations(shop) == before)
        shop.front?.reply { _ in .pass }
        try shop.posHub("qos", "clear", "marketing")
        try shop.waitUntil("marketing by the hub again", within: 60) { _ in
            try shop.route(of: "marketing") == "online"
        }
        #expect(sales.close() == 0)
        #expect(try shop.document("sell", "--line", Self.tea)["total"]?["amount"] == 1011)
        #expect(evaluations(shop) > before)
    }
}
