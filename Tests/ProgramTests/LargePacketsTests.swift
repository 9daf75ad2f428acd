import Foundation
import HubProtocol
import TestKit
import Testing

/// A router between till and hub whose ends take packets of some bytes and swallow larger ones, both ways.
@Suite(
    "A path that loses large packets, in namespaces", .onStage, .serialized,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct LargePacketsTests {
    @Test("It is found and named, and sales pass it all the same", arguments: [1_472, 1_420, 1_300, 600])
    func found(largest: Int) throws {
        let router = try NetworkNamespace("router")
        let lab = try NamespacedShop()
        try lab.till.connect("till0", "10.77.1.2/24", to: router, "till1", "10.77.1.1/24")
        try lab.hub.connect("hub0", "10.77.2.2/24", to: router, "hub1", "10.77.2.1/24")
        try lab.till.ip("route", "add", "default", "via", "10.77.1.1")
        try lab.hub.ip("route", "add", "default", "via", "10.77.2.1")
        try router.run(["sysctl", "-qw", "net.ipv4.ip_forward=1"])
        // Each packet by itself, or the virtual cable passes a bundle of them on whatever its size.
        try lab.till.ip("link", "set", "till0", "gso_max_segs", "1")
        try lab.hub.ip("link", "set", "hub0", "gso_max_segs", "1")
        try lab.open(hubHost: "10.77.2.2")
        let sales = try lab.shop.openSales()
        try sales.sellPieces(2)
        try lab.shop.waitUntilDrained()
        try router.ip("link", "set", "till1", "mtu", "\(largest)")
        try router.ip("link", "set", "hub1", "mtu", "\(largest)")
        try sales.sellPieces(3)
        try lab.shop.waitUntil("large packets named", within: 90) { status in
            status["outbox"]?["largePacketsLost"]?.bool == true
                && status["banner"]?["troubles"]?.array?.first == "largePackets"
        }
        try lab.shop.waitUntilDrained()
        try sales.sellPieces(4)
        try lab.isBackOnline(expecting: 9, sales)
    }
}
