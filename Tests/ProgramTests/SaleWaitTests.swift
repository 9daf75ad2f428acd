import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// Sales at a hub that hangs, or one of whose services hangs, in a shop with one till.
@Suite("The wait of a sale", .onStage, .serialized)
struct SaleWaitTests {
    private static let tea = Article.assortment[0].barcode

    private func sale(_ shop: ShopUnderTest, member: String? = nil) throws -> JSONValue {
        try shop.document(
            "sell", "--line", Self.tea, "--coupon", "FIVE", "--member", member ?? "M1")
    }

    /// The front with the rule that nothing comes back for members.
    private static let silentMembers: HubFront.Rule = { request in
        request.path.hasPrefix(Routes.members) ? .silence(seconds: 20) : .pass
    }

    private func shop(_ way: ShopUnderTest.Way, with more: ShopSettings = [:]) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(way, settings: .hurried.with(more))
        try shop.importRows(.members, "M1,333333,Li,0,")
        try shop.importRows(.promotions, "P1,Five,amount,,,,5,,,,true")
        try shop.importRows(.coupons, "FIVE,P1,,,,true")
        _ = try shop.document("sync", "now")
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    @Test(
        "One service that hangs costs one sale, is reported by this till alone, and is used again once it responds"
    )
    func hangingService() throws {
        let shop = try shop(.front)
        #expect(try sale(shop)["sync"]?.string == "acknowledged")
        shop.front?.reply(Self.silentMembers)
        // The member's lookup took all of the budget, so this sale does not wait for its push.
        #expect(try sale(shop)["sync"]?.string == "pending")
        // The push shows that the hub responds: the next sale waits for everything but the member.
        try shop.waitUntilDrained()
        #expect(try sale(shop)["sync"]?.string == "acknowledged")
        // Without another sale or till the hub's QoS finds the service faulty for this one.
        try shop.waitUntil("members are looked up here", within: 60) {
            $0["capabilities"]?["member"]?["route"]?.string == "local"
        }
        #expect(try shop.status().serviceSource("member") == "qos")
        #expect(try shop.status().mode == "online")
        shop.front?.reply { _ in .pass }
        try shop.waitUntil("members are looked up at the hub", within: 90) {
            $0["capabilities"]?["member"]?["route"]?.string == "online"
        }
        // The first sale's request responds in time, the second sale waits for it.
        _ = try sale(shop)
        #expect(try sale(shop)["sync"]?.string == "acknowledged")
    }

    @Test("A hub that is stopped costs one sale one budget, with a member, a coupon and a push to wait for")
    func stoppedHub() throws {
        // 3 s: shorter than a request's deadline of 4 s here, and much more than a sale takes.
        let shop = try shop([], with: ["POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "3000"])
        shop.hub?.signal(SIGSTOP)
        let first = try sale(shop)
        #expect(first.elapsedMilliseconds >= 3_000)
        #expect(first["sync"]?.string == "pending")
        for _ in 0..<3 {
            let next = try sale(shop)
            #expect(next.elapsedMilliseconds < 3_000)
            #expect(next["sync"]?.string == "pending")
        }
        shop.hub?.signal(SIGCONT)
        try shop.waitUntilDrained(within: 60)
        #expect(try shop.audit().orders == 4)
    }
}
