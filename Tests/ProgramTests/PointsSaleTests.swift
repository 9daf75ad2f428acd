import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Points that are spent under leases, by the built programs.
@Suite("Points in sales", .onStage)
struct PointsSaleTests {
    private static let article = Article.assortment[0].barcode

    /// A shop whose member has 1,000 points, each worth a minor unit.
    private func shop(_ way: ShopUnderTest.Way = [], store: String? = nil) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(way, store: store)
        _ = try shop.posHub(
            "store-config", "set", "--store-id", "S1", "points.earnEveryMinor=100", "points.valueMinor=1")
        try shop.importRows(.members, "M1,13800138000,Li,1000,")
        _ = try shop.document("sync", "now")
        return shop
    }

    private func arguments(_ points: Int64, lines: Int = 40) -> [String] {
        ["sell", "--member", "M1", "--points", "\(points)", "--line", "\(Self.article):\(lines)"]
    }

    /// Points that a till spent and earned; none where it was refused for lack of leases.
    private func spend(
        _ points: Int64, home: String, in shop: ShopUnderTest
    ) throws -> (spent: Int64, earned: Int64) {
        let end = try ProgramUnderTest.run(
            "pos", arguments(points) + ["--json", "--home", home], environment: shop.settings)
        let document = try end.document()
        guard end.exitCode == 0 else {
            #expect(document["error"]?["code"] == "points_unavailable", "\(document)")
            return (0, 0)
        }
        #expect(document["points"]?["spent"] == .integer(points))
        #expect(document["points"]?["value"] == .integer(points))
        return (points, document["points"]?["earned"]?.integer ?? 0)
    }

    @Test("Online a sale spends more than its share; what it pays with points earns nothing")
    func online() throws {
        let shop = try shop()
        try shop.startAgent()
        try shop.waitUntilReachable()
        let quoted = try shop.document(
            "quote", "--member", "M1", "--points", "900", "--line", "\(Self.article):40")
        let sale = try shop.document(
            "sell", "--member", "M1", "--points", "900", "--line", "\(Self.article):40")
        #expect(quoted["total"] == sale["total"] && quoted["points"] == sale["points"])
        let total = try #require(sale["total"]?["amount"]?.integer)
        #expect(sale["points"] == ["earned": .integer(total / 100), "spent": 900, "value": 900])
        #expect(sale["lines"]?.array?.first?["pointsValue"] == 900)
        #expect(sale["receipt"]?.string?.contains("Points spent: 900") == true)
        try shop.waitUntilDrained()
        let leases = try shop.posHub("leases", "list")["leases"]?.array ?? []
        #expect(leases.reduce(0) { $0 + ($1["used"]?.integer ?? 0) } == 900)
        let refused = try shop.pos(arguments(900) + ["--json"])
        #expect(refused.exitCode == 1 && refused.errorCode == "points_unavailable")
        let voided = try shop.document(
            "orders", "void", try #require(sale["orderId"]?.string), "--reason", "wrong")
        #expect(voided["state"] == "voided")
        try shop.waitUntilDrained()
        _ = try shop.document("sell", "--member", "M1", "--points", "900", "--line", "\(Self.article):40")
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }

    @Test(
        "Two tills without the hub never spend the same points, and a hub that is killed in between neither",
        arguments: [1, 2] as [UInt64])
    func outage(seed: UInt64) throws {
        let store =
            seed == 2 && PostgresServer.isAvailable ? try PostgresServer.shared.get().freshSchema() : nil
        let shop = try shop(store: store)
        let other = try OtherTill(shop)
        try other.sync()
        var random = SplitMix64(seed: seed)
        var (spent, earned): (Int64, Int64) = (0, 0)
        for round in 0..<3 {
            shop.killHub()
            for _ in 0..<4 {
                let home = random.below(2) == 0 ? shop.home : other.home
                let sold = try spend(Int64(20 + random.below(120)), home: home, in: shop)
                spent += sold.spent
                earned += sold.earned
            }
            try shop.startHub()
            if round < 2 {
                _ = try shop.document("sync", "now")
                if random.below(2) == 0 { try other.sync() }
            }
        }
        _ = try shop.document("sync", "now")
        try other.sync()
        #expect(spent > 0)
        let list = try shop.posHub("leases", "list")
        let used = (list["leases"]?.array ?? []).reduce(0) { $0 + ($1["used"]?.integer ?? 0) }
        #expect(used == spent)
        #expect(spent + (list["reserved"]?["points"]?.integer ?? 0) <= 1_000 + earned)
        #expect(try shop.posHub("flags", "list")["flags"] == [])
    }

    @Test("What a void gave back is spent again after a kill of the agent, with and without the hub")
    func voided() throws {
        let shop = try shop()
        try shop.importRows(.promotions, "P4,Autumn,amount,,,,200,,,,true")
        try shop.importRows(.coupons, "AUTUMN,P4,,1,,true")
        _ = try shop.document("sync", "now")
        shop.killHub()
        try shop.startAgent()
        let sell = arguments(250) + ["--coupon", "AUTUMN"]
        func sold() throws -> String {
            let end = try shop.pos(sell + ["--json"])
            #expect(end.exitCode == 0, "\(end)")
            return try #require(try end.document()["orderId"]?.string)
        }
        for _ in 0..<2 {
            _ = try shop.document("orders", "void", try sold(), "--reason", "wrong")
            shop.killAgent()
            try shop.startAgent()
        }
        _ = try sold()
        #expect(try shop.pos(sell + ["--json"]).exitCode == 1)
        try shop.startHub()
        try shop.waitUntilDrained()
        #expect(try shop.posHub("flags", "list")["flags"] == [])
        let list = try shop.posHub("leases", "list")["leases"]?.array ?? []
        #expect(list.reduce(0) { $0 + ($1["used"]?.integer ?? 0) } == 251)
    }

    @Test("A till that never returns costs its leases, which are listed and can be given up")
    func lost() throws {
        let shop = try shop()
        let list = try shop.posHub("leases", "list")
        let lease = try #require(list["leases"]?.array?.first)
        #expect(lease["left"] == 250 && list["reserved"]?["points"] == 250)
        #expect(try shop.doctorDetail(on: "leases")?.contains("250 points") == true)
        let id = try #require(lease["leaseId"]?.string)
        let released = try shop.posHub("leases", "release", id, "--reason", "stolen")
        #expect(released["state"] == "released" && released["risk"] == 250)
        #expect(try shop.posHub("leases", "list")["leases"] == [])
    }
}
