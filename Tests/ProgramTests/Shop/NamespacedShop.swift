import TestKit
import Testing

/// A shop whose till and hub run in network namespaces of their own; the test connects those.
final class NamespacedShop {
    let till: NetworkNamespace
    let hub: NetworkNamespace
    let shop: ShopUnderTest

    init() throws {
        till = try NetworkNamespace("till")
        hub = try NetworkNamespace("hub")
        shop = try ShopUnderTest(unstarted: .hurried.with(["POS_HUB_ALLOW_INSECURE": "true"]))
        shop.serveArguments = ["--allow-insecure"]
        shop.tillWrapper = till.argumentsToRun([])
        shop.hubWrapper = hub.argumentsToRun([])
    }

    /// Starts the hub at `hubHost` and an agent that has reached it.
    func open(hubHost: String) throws {
        shop.hubHost = hubHost
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        try shop.startAgent()
        try shop.waitUntilReachable()
    }

    /// The till comes back by itself and the hub has every sale once.
    func isBackOnline(expecting count: Int64, _ sales: SaleStreamUnderTest) throws {
        try shop.waitUntil("online", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == count)
        #expect(audit.isComplete)
    }
}
