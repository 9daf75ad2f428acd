import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// Till and hub on two ends of a cable; the hub is silent while its machine responds to pings. T1 is
/// 3 s.
@Suite(
    "A dark hub on a real cable", .onStage, .serialized,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct DarkHubTests {
    @Test("A port that is dropped is a dark hub at an idle till, and cards are refused until it is back")
    func droppedPort() throws {
        let cable = try Self.cabled()
        try cable.hub.setPort(cable.shop.hubPort, dropped: true)
        try cable.expectDark()
        let card = try cable.shop.pos(
            "sell", "--line", Article.assortment[0].barcode, "--pay", "card", "--json")
        #expect(card.errorCode == "card_offline")
        let sales = try cable.shop.openSales()
        #expect(try sales.sellPieces(3).areUnhindered)
        try cable.hub.setPort(cable.shop.hubPort, dropped: false)
        try cable.isBackOnline(expecting: 3, sales)
    }

    @Test("A port that accepts and stays silent is a dark hub at a till that sells")
    func silentPort() throws {
        let cable = try Self.cabled()
        let sales = try cable.shop.openSales()
        try sales.sellPieces(2)
        // A stopped process: the kernel goes on accepting for it.
        cable.shop.hub?.signal(SIGSTOP)
        defer { cable.shop.hub?.signal(SIGCONT) }
        let sold = try sales.sellPieces(2)
        #expect(sold.allSatisfy { $0.elapsedMilliseconds < 1900 })
        try cable.expectDark()
        cable.shop.hub?.signal(SIGCONT)
        try cable.isBackOnline(expecting: 4, sales)
    }

    private static func cabled() throws -> NamespacedShop {
        let ends = try NamespacedShop()
        try ends.till.connect("till0", "10.217.66.1/24", to: ends.hub, "hub0", "10.217.66.2/24")
        try ends.open(hubHost: "10.217.66.2")
        return ends
    }
}

extension NamespacedShop {
    /// Waits until the till is offline for the hub's sake, and claims nothing else.
    fileprivate func expectDark() throws {
        try shop.waitUntil("offline", within: 30) { $0.mode == "offline" }
        let status = try shop.status()
        #expect(status.causes == ["service"])
        #expect(status["connectivity"]?["state"]?.string == "backendDown")
        #expect(status.serviceSource("order") == "local")
        #expect(status["network"]?["evidence"]?.array?.contains("hubDark") == true)
        #expect(status["banner"]?["troubles"]?.array == ["hubSilent"])
        // No independent address is configured, so nothing is claimed of the internet.
        let text = status["banner"]?["text"]?["en"]?.string
        #expect(text?.contains("does not answer") == true && text?.contains("internet") == false)
    }
}
