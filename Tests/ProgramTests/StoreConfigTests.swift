import Foundation
import HubProtocol
import TestKit
import Testing

/// What a store tunes from the hub reaches tills that run, and what sync may do is obeyed.
@Suite("Store configuration and sync policy", .onStage)
struct StoreConfigTests {
    /// Without T1, which the environment would keep from the hub.
    private var untuned: ShopSettings {
        var settings = ShopSettings.hurried
        settings["POS_NETWORK_DEBOUNCE_SECONDS"] = nil
        return settings
    }

    private func t1(_ shop: ShopUnderTest) throws -> Int64? { try shop.status()["network"]?["t1Ms"]?.integer }

    @Test(
        "T1 and the receipt follow the hub without a restart, survive one without a network, and go back"
    )
    func tuned() throws {
        let shop = try ShopUnderTest(settings: untuned)
        try shop.startAgent()
        try shop.waitUntilReachable()
        #expect(try t1(shop) == 8000)
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "network.debounceSeconds=4", "store.name=Tea House",
            "store.taxNumber=9133", "network.recoveryHoldSeconds=60")
        _ = try shop.document("sync", "now")
        try shop.waitUntil("the store's T1", within: 5) { $0["network"]?["t1Ms"]?.integer == 4000 }
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["receipt"]?.string?.contains("Tea House") == true)
        #expect(sale["receipt"]?.string?.contains("9133") == true)

        shop.killAgent()
        shop.killHub()
        try shop.startAgent()
        #expect(try t1(shop) == 4000)
        try shop.waitUntil("offline", within: 15) { $0.causes == ["network"] }
        try shop.startHub()
        // The environment's 1 s has priority over the store's 60 s.
        try shop.waitUntil("online", within: 30) { $0.mode == "online" }

        try shop.posHub("store-config", "clear", "--store-id", "S1", "network.debounceSeconds")
        _ = try shop.document("sync", "now")
        try shop.waitUntil("its own T1", within: 5) { $0["network"]?["t1Ms"]?.integer == 8000 }
        let shown = try shop.posHub("store-config", "show", "--store-id", "S1")["settings"]
        #expect(shown?["store"]?["name"]?.string == "Tea House")
        #expect(shown?["network"]?["debounceSeconds"] == nil)
    }

    @Test("On a narrow path the catalogue comes a little at a time, and sales go as ever")
    func narrow() throws {
        let shop = try ShopUnderTest(settings: .hurried.with(["POS_NETWORK_CONSTRAINED": "true"]))
        try shop.startAgent()
        try shop.waitUntilReachable()
        let more = (20..<170).map { Article($0, price: 100) }
        try shop.importCatalogue(more)
        _ = try shop.document("sync", "now")
        #expect(try knows(shop, more[99]) && !knows(shop, more[100]))
        _ = try shop.document("sync", "now")
        #expect(try knows(shop, more[149]))
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
        let policy = try shop.status()["policy"]
        #expect(policy?["wholeCatalogue"]?["heldBy"]?.array == ["constrained"])
        #expect(policy?["telemetry"]?["allowed"]?.bool == false)
    }

    @Test("In quiet hours only the outbox goes by itself, and a person still gets the catalogue")
    func quiet() throws {
        let quiet = ["POS_POLICY_QUIET_HOURS": "00:00-23:59", "POS_SYNC_PULL_SECONDS": "1"]
        let shop = try ShopUnderTest(settings: .hurried.with(quiet))
        try shop.startAgent()
        try shop.waitUntilReachable()
        let article = Article(20, price: 100)
        try shop.importCatalogue([article])
        #expect(try shop.holds(for: 3) { _ in try !knows(shop, article) })
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "acknowledged")
        #expect(try shop.status()["policy"]?["catalogue"]?["heldBy"]?.array == ["quietHours"])
        _ = try shop.document("sync", "now")
        #expect(try knows(shop, article))
    }

    private func knows(_ shop: ShopUnderTest, _ article: Article) throws -> Bool {
        try shop.query("GET", "/v1/products?barcode=\(article.barcode)")["sku"]?.string == article.sku
    }
}
