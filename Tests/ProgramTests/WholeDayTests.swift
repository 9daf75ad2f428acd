import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// A whole day without the hub, by the built programs: every tender, points, a coupon, a refund, a parked
/// cart, and the drawer; a second till in the same outage; then the hub compares.
@Suite("A day without the hub", .onStage)
struct WholeDayTests {
    private static let tea = Article.assortment[0].barcode
    private static let manager = "98765432"
    private static let coupon = "AUTUMN-2026-XY"

    /// Two tills that pulled everything in the evening; then the line is cut.
    private func shop(store: String?) throws -> (ShopUnderTest, OtherTill) {
        let shop = try ShopUnderTest(serving: ["--payments", "simulator:approve"], store: store)
        try shop.importRows(
            .cashiers, "c1,Li,1234,cashier", "c2,Xu,4321,cashier", "m1,Wu,\(Self.manager),manager")
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.importRows(.promotions, "P4,Autumn,amount,,,,200,,,,true")
        try shop.importRows(.coupons, "\(Self.coupon),P4,,1,,true")
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1",
            "offlineCard.perSale=1250", "offlineCard.perShift=9000", "offlineCard.perTerminal=9000",
            "offlineCard.perStore=24000")
        _ = try shop.document("sync", "now")
        let other = try OtherTill(shop)
        try other.sync()
        // What the first till's pull was too early for.
        _ = try shop.document("sync", "now")
        shop.killHub()
        try shop.startAgent()
        try shop.waitUntil("offline", within: 30) { $0["mode"] == "offline" }
        return (shop, other)
    }

    /// One command of the till, with the manager's PIN where it needs one.
    @discardableResult
    private func till(
        _ shop: ShopUnderTest, approved: Bool = false, _ arguments: String...
    ) throws -> JSONValue {
        let approval = approved ? ["--approver", "m1", "--approver-pin-stdin"] : []
        let end = try shop.pos(
            arguments + approval + ["--json"], input: approved ? [Self.manager] : [])
        guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
        return try end.document()
    }

    /// The manager switches a till.
    private func manualOffline(_ switched: String, _ till: OtherTill) throws {
        let arguments = ["offline", switched] + (switched == "on" ? ["--reason", "no line"] : [])
        let end = try ProgramUnderTest.run(
            "pos", arguments + ["--cashier", "m1", "--pin-stdin", "--json", "--home", till.home],
            environment: till.shop.settings, input: [Self.manager])
        guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
    }

    private func total(_ sale: JSONValue) throws -> Int64 { try #require(sale["total"]?["amount"]?.integer) }

    /// What the day came to, added up from the responses.
    private struct Expected {
        var sales: Int64 = 0
        var count: Int64 = 0
        var cards: Int64 = 0
        var earned: Int64 = 0
        var spent: Int64 = 0

        mutating func add(_ sale: JSONValue, card: Int64 = 0) {
            sales += sale["total"]?["amount"]?.integer ?? 0
            count += 1
            cards += card
            earned += sale["points"]?["earned"]?.integer ?? 0
            spent += sale["points"]?["spent"]?.integer ?? 0
        }
    }

    /// From the float to the last customer.
    private func trade(_ shop: ShopUnderTest) throws -> (Expected, refunded: Int64) {
        var expected = Expected()
        let cash = try till(shop, "sell", "--line", "\(Self.tea):3", "--pay", "cash:5000")
        expected.add(cash)
        for _ in 0..<2 {
            let sale = try till(shop, "sell", "--line", Self.tea, "--pay", "card")
            #expect(sale["paid"]?.array?.first?["state"] == "storedOffline")
            expected.add(sale, card: try total(sale))
        }
        let large = ["sell", "--line", "\(Self.tea):2", "--pay", "card", "--json"]
        #expect(try shop.pos(large).errorCode == "approval_required")
        let approved = try till(shop, approved: true, "sell", "--line", "\(Self.tea):2", "--pay", "card")
        expected.add(approved, card: try total(approved))
        // Another cashier in the same shift, points, and the coupon's one use.
        let points = try shop.pos(
            [
                "sell", "--line", "\(Self.tea):2", "--member", "M1", "--points", "150", "--cashier", "c2",
                "--pin", "4321", "--json",
            ]
        ).document()
        #expect(points["points"]?["spent"] == 150, "\(points)")
        expected.add(points)
        let offer = try till(shop, "sell", "--line", Self.tea, "--coupon", Self.coupon)
        #expect(try total(offer) == 1_050)
        expected.add(offer)
        let refund = try till(
            shop, approved: true, "orders", "refund", try #require(cash["orderId"]?.string), "--line",
            "\(Self.tea):1", "--reason", "dented")
        let cart = try till(shop, "cart", "park", "--name", "wallet", "--line", "\(Self.tea):4")
        expected.add(try till(shop, "sell", "--line", Self.tea))
        expected.add(try till(shop, "sell", "--cart", try #require(cart["cartId"]?.string)))
        return (expected, try #require(refund["total"]?["amount"]?.integer))
    }

    @Test(
        "Every figure of the Z is the hub's, and a second till could not spend the same points or coupon",
        arguments: [false, true])
    func day(onPostgreSQL: Bool) throws {
        guard !onPostgreSQL || PostgresServer.isAvailable else { return }
        let (shop, other) = try shop(
            store: onPostgreSQL ? try PostgresServer.shared.get().freshSchema() : nil)
        #expect(
            try shop.pos("sign-in", "c1", "--pin-stdin", "--json", input: ["1234"]).exitCode == 0)
        try till(shop, "shift", "open", "--float", "20000")
        let (expected, refunded) = try trade(shop)
        try till(shop, approved: true, "shift", "cash", "out", "700", "--reason", "window")

        // The other till has leases of its own, and what they do not cover is refused.
        let person = ["--cashier", "c2", "--pin", "4321", "--json", "--home", other.home]
        let more = try ProgramUnderTest.run(
            "pos", ["sell", "--line", "\(Self.tea):8", "--member", "M1", "--points", "900"] + person,
            environment: shop.settings)
        #expect(more.errorCode == "points_unavailable", "\(more)")
        let again = try ProgramUnderTest.run(
            "pos", ["sell", "--line", Self.tea, "--coupon", Self.coupon] + person,
            environment: shop.settings)
        #expect(again.errorCode == "coupon_refused", "\(again)")

        // A quarter of what the first till left of the store's limit; no approval exceeds it.
        try manualOffline("on", other)
        let card = try ProgramUnderTest.run(
            "pos",
            ["sell", "--line", "\(Self.tea):4", "--pay", "card"] + person
                + ["--approver", "m1", "--approver-pin-stdin"],
            environment: shop.settings, input: [Self.manager])
        #expect(card.errorCode == "offline_card_limit", "\(card)")
        try manualOffline("off", other)

        let drawer = 20_000 + expected.sales - expected.cards - refunded - 700
        let z = try till(shop, "shift", "close", "--counted", "\(drawer)")
        #expect(z["cash"] == ["expected": .integer(drawer), "counted": .integer(drawer), "difference": 0])
        #expect(z["sales"] == ["count": .integer(expected.count), "total": .integer(expected.sales)])
        #expect(z["refunds"] == ["count": 1, "total": .integer(refunded)])
        #expect(
            z["tenders"]?.array?.first { $0["method"] == "card" }
                == ["method": "card", "count": 3, "amount": .integer(expected.cards)])
        #expect(
            z["points"] == ["earned": .integer(expected.earned), "spent": .integer(expected.spent)])

        try shop.startHub()
        try shop.waitUntilDrained(within: 60)
        try other.sync()
        let id = try #require(z["shiftId"]?.string)
        try shop.waitUntil("the shift is confirmed", within: 60) { _ in
            try shop.document("shift", "show", id)["state"] == "confirmed"
        }
        try compare(z, id, in: shop)
    }

    /// The hub's own figures, from its read model and its leases, and the statement.
    private func compare(_ z: JSONValue, _ id: String, in shop: ShopUnderTest) throws {
        let kept = try shop.posHub("shifts", "show", id)
        for figure in ["sales", "refunds", "voids", "tenders", "taxes", "points", "cashMoves", "head"] {
            #expect(kept[figure] == z[figure], "\(figure)")
            let sums = kept["statements"]?.array?.first?["sums"]
            if figure != "head" { #expect(sums?[figure] == z[figure], "\(figure) of the statement") }
        }
        let sales = try shop.posHub("sales", "--by", "terminal")["rows"]?.array ?? []
        #expect(
            sales.reduce(0) { $0 + ($1["net"]?.integer ?? 0) }
                == (z["sales"]?["total"]?.integer ?? 0) - (z["refunds"]?["total"]?.integer ?? 0))
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        let audit = try shop.audit()
        #expect(audit.isComplete, "\(audit.json)")
        let leases = try shop.posHub("leases", "list", "--all")["leases"]?.array ?? []
        func used(_ kind: JSONValue) -> Int64 {
            leases.reduce(0) { $0 + ($1["kind"] == kind ? $1["used"]?.integer ?? 0 : 0) }
        }
        #expect(used("points") == 150 && used("coupon") == 1)
        #expect(used("card") == z["tenders"]?.array?.first { $0["method"] == "card" }?["amount"]?.integer)
        shop.killHub()
        let file = shop.folder.path("z.json")
        try Data(try shop.document("shift", "show", id).canonicalBytes).write(to: URL(filePath: file))
        #expect(try shop.document("shift", "verify", file)["statement"]?["gap"] == 0)
    }
}
