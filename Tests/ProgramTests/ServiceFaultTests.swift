import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// The order service fails while the network is fine: QoS decides, and where it is silent a local lease does.
@Suite("A failing order service", .onStage, .serialized)
struct ServiceFaultTests {
    private static let unavailable: HubFront.Rule = { request in
        guard request.isPush else { return .pass }
        let problem = #"{"type":"urn:pos:problem:unavailable","status":503,"code":"unavailable"}"#
        return .response(status: 503, headers: ["Content-Type": "application/problem+json"], body: problem)
    }

    @Test(
        "503 switches nothing while QoS says healthy, switches when it says faulty, not back before cleared")
    func operatorDecision() throws {
        let shop = try ShopUnderTest(.front)
        try shop.posHub("qos", "set", "order", "healthy", "--reason", "watched by hand")
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        try sales.sellPieces(2)
        shop.front?.reply(Self.unavailable)
        for index in 0..<8 {
            #expect(try sales.sell(SaleRequests.piece(index)).mode == "online")
            #expect(try shop.holds(for: 1) { $0.mode == "online" })
        }

        try shop.posHub("qos", "set", "order", "faulty", "--reason", "orders are being moved")
        try sellUntil(shop, sales, "offline by QoS's word") { $0.causes == ["service"] }
        let status = try shop.status()
        #expect(status.mode == "offline")
        #expect(status.serviceSource("order") != "local")
        #expect(status.networkState == "reachable")
        let offline = try sales.sell(SaleRequests.piece())
        #expect(offline.mode == "offline")
        #expect(offline["sync"]?.string == "pending")

        shop.front?.reply { _ in .pass }
        #expect(try shop.holds(for: 6) { $0.mode == "offline" })
        try shop.posHub("qos", "clear", "order")
        try shop.waitUntil("online after the word was taken back", within: 60) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(try shop.orders().count))
        #expect(audit.isComplete)
    }

    @Test("With QoS dead a local lease switches, on the evidence alone")
    func localLease() throws {
        let shop = try ShopUnderTest(.front)
        shop.settings["POS_QOS_URL"] = "http://127.0.0.1:1"
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        shop.front?.reply(Self.unavailable)
        try sellUntil(shop, sales, "offline by a local lease") { $0.causes == ["service"] }
        #expect(try shop.status().serviceSource("order") == "local")
        #expect(try shop.status().networkState == "reachable")
        #expect(sales.close() == 0)
    }

    @Test("QoS that responds again ends the local lease")
    func leaseEndsEarly() throws {
        let shop = try ShopUnderTest(.front)
        let way = try FaultRelay(target: shop.hubPort)
        defer { way.stop() }
        way.setMode(.silentBlackhole)
        shop.settings["POS_QOS_URL"] = "http://127.0.0.1:\(way.port)"
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        shop.front?.reply(Self.unavailable)
        try sellUntil(shop, sales, "offline by a local lease") { $0.causes == ["service"] }
        #expect(try shop.status().serviceSource("order") == "local")
        shop.front?.reply { _ in .pass }
        try shop.posHub("qos", "set", "order", "healthy", "--reason", "all is well")
        way.setMode(.open)
        try shop.waitUntil("online by QoS's word", within: 45) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        #expect(try shop.audit().isComplete)
    }

    @Test("A server that responds to every call with JSON of its own is a broken service; it gets no sale")
    func foreignJSON() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        shop.front?.reply { request in
            guard request.path != Routes.health else { return .pass }
            return .response(
                status: 200, headers: ["Content-Type": "application/json"], body: #"{"device":"printer"}"#)
        }
        try sellUntil(shop, sales, "offline by a local lease") { $0.causes == ["service"] }
        #expect(try shop.status().serviceSource("order") == "local")
        let sold = Int64(try shop.orders().count)
        #expect(try shop.status().pending == sold)
        shop.front?.reply { _ in .pass }
        try shop.waitUntil("online once the hub is itself", within: 60) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == sold)
    }

    /// Sells on until the status fulfils `condition`, at most 30 s.
    private func sellUntil(
        _ shop: ShopUnderTest, _ sales: SaleStreamUnderTest, _ what: String,
        _ condition: (JSONValue) -> Bool
    ) throws {
        var index = 0
        try shop.waitUntil(what, within: 30) { status in
            if condition(status) { return true }
            _ = try sales.sell(SaleRequests.piece(index))
            index += 1
            Thread.sleep(forTimeInterval: 0.3)
            return false
        }
    }
}
