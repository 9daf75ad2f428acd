import Foundation
import HubProtocol
import TestKit
import Testing

/// Till and hub on two ends of a cable, each in a network namespace of its own.
@Suite(
    "A real cable", .onStage, .serialized,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct NamespacedNetworkTests {
    @Test("A cut cable is offline no sooner than its T1, and plugged in again the till comes back by itself")
    func cutCable() throws {
        let cable = try NamespacedShop.cabled()
        let sales = try cable.shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["sync"]?.string == "acknowledged")
        try cable.hub.setLink("hub0", up: false)
        let cut = ContinuousClock().now
        #expect(try sales.sell(SaleRequests.piece(1)).elapsedMilliseconds < 1900)
        try cable.shop.waitUntil("offline", within: 12) { $0.causes.contains("network") }
        #expect((ContinuousClock().now - cut).seconds >= 3)
        #expect(try cable.shop.status()["connectivity"]?["state"]?.string == "offline")
        let offline = try sales.sellPieces(10)
        #expect(offline.areUnhindered)
        try cable.hub.setLink("hub0", up: true)
        try cable.isBackOnline(expecting: 12, sales)
    }

    @Test("Five cable drops of 1.2 s switch nothing")
    func cableDrops() throws {
        let cable = try NamespacedShop.cabled()
        let sales = try cable.shop.openSales()
        for _ in 0..<5 {
            try cable.hub.setLink("hub0", up: false)
            #expect(try cable.shop.holds(for: 1.2) { $0.mode == "online" })
            try cable.hub.setLink("hub0", up: true)
            #expect(try sales.sell(SaleRequests.piece()).mode == "online")
            #expect(try cable.shop.holds(for: 1.5) { $0.mode == "online" })
        }
        #expect(try cable.shop.document("history")["periods"]?.array == [])
        try cable.isBackOnline(expecting: 5, sales)
    }

    @Test(
        "With a far end that drops every response the till is offline between 3 and 12 s, and no sale waits for it"
    )
    func blackholeRoute() throws {
        let cable = try NamespacedShop.cabled()
        let sales = try cable.shop.openSales()
        try sales.sellPieces(2)
        try cable.hub.setBlackhole(NamespacedShop.tillAddress + "/32", true)
        let dead = ContinuousClock().now
        for index in 0..<3 {
            let sale = try sales.sell(SaleRequests.piece(index))
            #expect(sale.elapsedMilliseconds < 1900)
        }
        try cable.shop.waitUntil("offline", within: 15) { $0.causes.contains("network") }
        let after = (ContinuousClock().now - dead).seconds
        #expect(after >= 3 && after <= 12)
        #expect(try sales.sellPieces(5).areUnhindered)
        try cable.hub.setBlackhole(NamespacedShop.tillAddress + "/32", false)
        try cable.isBackOnline(expecting: 10, sales)
    }
}

extension NamespacedShop {
    fileprivate static let tillAddress = "10.217.64.1"

    /// A till on one end of a cable and the hub on the other; the agent runs and has reached the hub.
    fileprivate static func cabled() throws -> NamespacedShop {
        let ends = try NamespacedShop()
        try ends.till.connect("till0", tillAddress + "/24", to: ends.hub, "hub0", "10.217.64.2/24")
        try ends.open(hubHost: "10.217.64.2")
        return ends
    }
}
