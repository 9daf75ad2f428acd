import HubProtocol
import TestKit
import Testing

/// The till where its loop is not the executor of its tasks, as with a compiler that does not offer that.
@Suite("The till on the runtime's own threads", .onStage)
struct ExecutorTests {
    @Test("It sells with the hub and without it, and drains")
    func pool() throws {
        let pool = ["POS_EXECUTOR": "pool"]
        let shop = try ShopUnderTest()
        try shop.startAgent(with: pool)
        let tea = Article.assortment[0].barcode
        #expect(try shop.document("sell", "--line", tea, with: pool)["total"]?["amount"] == 1250)
        try shop.waitUntilDrained()
        shop.killHub()
        #expect(try shop.document("sell", "--line", tea, with: pool)["sync"] == "pending")
        try shop.waitUntil("offline", within: 20) { $0["mode"] == "offline" }
        try shop.startHub()
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 2)
    }
}
