import Foundation
import HubProtocol
import TestKit
import Testing

/// A till with more than one way to its hub, or with one that is not IPv4's.
@Suite(
    "Uplinks of a till", .onStage, .serialized,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct UplinkTests {
    @Test("One of two uplinks dies and the till sells on over the other, never offline")
    func twoUplinks() throws {
        let way = try NamespacedShop()
        let (till, hub) = (way.till, way.hub)
        try till.connect("till0", "10.217.65.1/24", to: hub, "hub0", "10.217.65.2/24")
        try till.connect("till1", "10.217.66.1/24", to: hub, "hub1", "10.217.66.2/24")
        try hub.ip("address", "add", "10.217.67.2/32", "dev", "lo")
        try till.ip("route", "add", "10.217.67.2/32", "via", "10.217.65.2", "metric", "100")
        try till.ip("route", "add", "10.217.67.2/32", "via", "10.217.66.2", "metric", "200")
        try way.open(hubHost: "10.217.67.2")
        let sales = try way.shop.openSales()
        try sales.sellPieces(2)
        try till.setLink("till0", up: false)
        #expect(try way.shop.holds(for: 8) { $0.mode == "online" })
        #expect(try sales.sell(SaleRequests.piece()).mode == "online")
        try till.setLink("till1", up: false)
        try way.shop.waitUntil("offline", within: 12) { $0.causes.contains("network") }
        try sales.sellPieces(2)
        try till.setLink("till1", up: true)
        try till.ip("route", "replace", "10.217.67.2/32", "via", "10.217.66.2", "metric", "200")
        try way.isBackOnline(expecting: 5, sales)
    }

    @Test("A hub with an IPv6 address alone is sold to, lost and found again")
    func ipv6Only() throws {
        let way = try NamespacedShop()
        try way.till.connect("till0", "fd17:65::1/64", to: way.hub, "hub0", "fd17:65::2/64")
        try way.open(hubHost: "[fd17:65::2]")
        let sales = try way.shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["sync"]?.string == "acknowledged")
        try way.hub.setLink("hub0", up: false)
        try way.shop.waitUntil("offline", within: 12) { $0.causes.contains("network") }
        #expect(try way.shop.status()["connectivity"]?["state"]?.string == "offline")
        try sales.sellPieces(2)
        try way.hub.setLink("hub0", up: true)
        // An interface that goes down loses its IPv6 addresses.
        try way.hub.ip("address", "add", "fd17:65::2/64", "dev", "hub0", "nodad")
        try way.isBackOnline(expecting: 3, sales)
    }

    @Test("On a metered uplink a note's photo waits, an urgent one goes, and sales pass")
    func metered() throws {
        let way = try NamespacedShop()
        let shop = way.shop
        shop.settings = shop.settings.with(["POS_NETWORK_METERED_INTERFACES": "till0"])
        try way.till.connect("till0", "10.217.65.1/24", to: way.hub, "hub0", "10.217.65.2/24")
        try way.open(hubHost: "10.217.65.2")
        let photo = shop.folder.path("photo.txt")
        try String(repeating: "x", count: 64_000).write(toFile: photo, atomically: true, encoding: .utf8)
        _ = try shop.document("note", "add", "photo", "--attach", photo)
        _ = try shop.document("note", "add", "urgent", "--attach", photo, "--urgent")
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        try shop.waitUntil("one photo alone waits", within: 20) { $0.pending == 1 }
        let held = try #require(try shop.document("sync", "status")["attachments"]?.array?.first)
        #expect(held["heldBy"] == ["metered"])
        #expect(try shop.posHub("attachments", "list")["attachments"]?.array?.map { $0["urgent"] } == [true])
    }

    @Test("A container's bridge that takes the default route switches nothing")
    func containers() throws {
        let way = try NamespacedShop()
        try way.till.connect("till0", "10.217.65.1/24", to: way.hub, "hub0", "10.217.65.2/24")
        try way.open(hubHost: "10.217.65.2")
        try way.till.ip("link", "add", "docker0", "type", "veth", "peer", "name", "inside")
        try way.till.ip("link", "set", "inside", "up")
        try way.till.ip("link", "set", "docker0", "up")
        try way.till.ip("address", "add", "172.17.0.1/16", "dev", "docker0")
        try way.till.ip("route", "add", "default", "via", "172.17.0.2")
        #expect(try way.shop.holds(for: 4) { $0.mode == "online" && $0.networkState == "reachable" })
        try way.till.ip("link", "delete", "docker0")
        #expect(try way.shop.holds(for: 4) { $0.mode == "online" && $0.networkState == "reachable" })
        #expect(try way.shop.document("history")["periods"]?.array == [])
    }
}
