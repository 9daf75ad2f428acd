import Foundation
import HubProtocol
import TestKit
import Testing

/// Leases that another till wants, by the built programs.
@Suite("Leases that come back", .onStage)
struct LeaseRecallTests {
    private static let tea = Article.assortment[0].barcode

    /// A till whose agent runs and idles, and another one that is run by commands.
    private func shop(onPostgreSQL: Bool) throws -> (ShopUnderTest, other: OtherTill) {
        let shop = try ShopUnderTest(
            store: onPostgreSQL ? try PostgresServer.shared.get().freshSchema() : nil)
        _ = try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1")
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        try shop.importRows(.promotions, "P1,With a code,amount,,,,200,,,,true")
        try shop.importRows(.coupons, "ONCE,P1,,1,,true")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        return (shop, try OtherTill(shop))
    }

    private func sell(_ arguments: String..., home: String, in shop: ShopUnderTest) throws -> JSONValue {
        try ProgramUnderTest.run(
            "pos", ["sell", "--line", Self.tea + ":40"] + arguments + ["--json", "--home", home],
            environment: shop.settings
        ).document()
    }

    /// Waits until the hub has nothing of a kind that it recalled.
    private func waitForReturn(of kind: String, in shop: ShopUnderTest) throws {
        try shop.waitUntil("the \(kind) come back", within: 60) { _ in
            let leases = try shop.posHub("leases", "list")["leases"]?.array ?? []
            return !leases.contains { $0["kind"] == .string(kind) && $0["recalled"] != nil }
        }
    }

    @Test(
        "A coupon for one sale goes from the idle till that has it to the one that wants it, within a minute",
        arguments: [false, true])
    func coupon(onPostgreSQL: Bool) throws {
        guard !onPostgreSQL || PostgresServer.isAvailable else { return }
        let (shop, other) = try shop(onPostgreSQL: onPostgreSQL)
        let refused = try sell("--coupon", "ONCE", home: other.home, in: shop)
        #expect(refused["error"]?["code"] == "coupon_refused", "\(refused)")
        #expect(refused["error"]?["message"]?.string?.contains("try again in half a minute") == true)
        try waitForReturn(of: "coupon", in: shop)
        let sold = try sell("--coupon", "once", home: other.home, in: shop)
        #expect(sold["error"] == nil, "\(sold)")
        // The first till has nothing of it any more, with the hub and without it.
        try other.sync()
        #expect(try sell("--coupon", "ONCE", home: shop.home, in: shop)["error"]?["code"] == "coupon_refused")
        _ = try shop.document("offline", "on")
        #expect(try sell("--coupon", "ONCE", home: shop.home, in: shop)["error"]?["code"] == "coupon_refused")
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }

    @Test("Of points as many come back as a sale lacks; the till that returned them has the rest")
    func points() throws {
        let (shop, other) = try shop(onPostgreSQL: false)
        let wanted = ["--member", "M1", "--points"]
        let refused = try sell(wanted[0], wanted[1], wanted[2], "800", home: other.home, in: shop)
        #expect(refused["error"]?["code"] == "points_unavailable", "\(refused)")
        #expect(refused["error"]?["message"]?.string?.contains("try again in half a minute") == true)
        try waitForReturn(of: "points", in: shop)
        let sold = try sell(wanted[0], wanted[1], wanted[2], "800", home: other.home, in: shop)
        #expect(sold["points"]?["spent"] == 800, "\(sold)")
        _ = try shop.document("sync", "now")
        _ = try shop.document("offline", "on")
        let more = try sell(wanted[0], wanted[1], wanted[2], "201", home: shop.home, in: shop)
        #expect(more["error"]?["code"] == "points_unavailable", "\(more)")
        let rest = try sell(wanted[0], wanted[1], wanted[2], "200", home: shop.home, in: shop)
        #expect(rest["points"]?["spent"] == 200, "\(rest)")
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained(within: 60)
        try other.sync()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }

    @Test("A coupon that came in since the last pull is sold under a lease, as the hub's evaluation says")
    func fresh() throws {
        let (shop, other) = try shop(onPostgreSQL: false)
        try shop.importRows(.coupons, "NEW,P1,,1,,true")
        let sold = try sell("--coupon", "NEW", home: shop.home, in: shop)
        #expect(sold["error"] == nil, "\(sold)")
        #expect(try sell("--coupon", "NEW", home: other.home, in: shop)["error"]?["code"] == "coupon_refused")
        try shop.waitUntilDrained()
        let leases = try shop.posHub("leases", "list", "--all")["leases"]?.array ?? []
        #expect(leases.filter { $0["subject"] == "NEW" }.map { $0["used"] } == [1])
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }
}
