import Foundation
import HubProtocol
import TestKit
import Testing

/// A till with two cables to a router, behind which its hub is. The one that its routes prefer goes dark
/// behind the switch: its carrier, its address and its route stay.
@Suite(
    "A standby uplink", .onStage, .serialized,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct StandbyUplinkTests {
    @Test("Ethernet dark behind its switch: the till sells on, sends by the metered standby, and returns")
    func darkBehindTheSwitch() throws {
        let way = try NamespacedShop()
        let shop = way.shop
        let router = try NetworkNamespace("router")
        shop.settings = shop.settings.with(["POS_NETWORK_METERED_INTERFACES": "spare0"])
        try way.till.connect("main0", "10.217.81.1/24", to: router, "main1", "10.217.81.2/24")
        try way.till.connect("spare0", "10.217.82.1/24", to: router, "spare1", "10.217.82.2/24")
        try router.connect("shop0", "10.217.83.1/24", to: way.hub, "hub0", "10.217.83.2/24")
        try router.run(["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])
        // As distributions set it; a strict filter drops what comes back by the interface of a lesser route.
        try way.till.run(["sh", "-c", "echo 2 > /proc/sys/net/ipv4/conf/all/rp_filter"])
        try way.hub.ip("route", "add", "default", "via", "10.217.83.1")
        try way.till.ip("route", "add", "default", "via", "10.217.81.2", "metric", "100")
        try way.till.ip("route", "add", "default", "via", "10.217.82.2", "metric", "200")
        try way.open(hubHost: "10.217.83.2")
        let sales = try shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["sync"]?.string == "acknowledged")

        try router.ip("rule", "add", "pref", "1", "iif", "main1", "blackhole")
        try sales.sellPieces(1)
        try shop.waitUntil("offline", within: 15) { $0.causes.contains("network") }
        try sales.sellPieces(2)
        try shop.waitUntil("online over the standby", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        let status = try shop.status()
        #expect(status["connectivity"]?["standby"]?.string == "spare0")
        #expect(status["connectivity"]?["isMetered"]?.bool == true)
        #expect(status["banner"]?["troubles"]?.array?.first == "standby")
        #expect(try sales.sell(SaleRequests.piece())["sync"]?.string == "acknowledged")
        let checks = try shop.document("doctor")["checks"]?.array ?? []
        let path = checks.first { $0["name"] == "path" }
        #expect(path?["detail"]?.string?.contains("spare0") == true, "\(checks)")

        try router.ip("rule", "delete", "pref", "1")
        try shop.waitUntil("back on the main path", within: 90) {
            $0.mode == "online" && $0["connectivity"]?["standby"] == nil
        }
        let last = try shop.status()
        #expect(last["connectivity"]?["isMetered"]?.bool == false)
        #expect(try shop.document("history")["periods"]?.array?.count == 1)
        try way.isBackOnline(expecting: 5, sales)
    }
}
