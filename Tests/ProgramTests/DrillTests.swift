import Foundation
import HubProtocol
import TestKit
import Testing

/// `pos doctor --drill` at the real agent. T1 is 3 s, the recovery hold 1 s.
@Suite("A drill", .onStage, .serialized)
struct DrillTests {
    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    /// Nothing of a drill is left: online, no period in the history, nothing sold.
    private func isUntouched(_ shop: ShopUnderTest) throws {
        try shop.waitUntil("online", within: 60) {
            $0.mode == "online" && $0["banner"]?["troubles"]?.array == []
        }
        #expect(try shop.document("history")["periods"]?.array == [])
        #expect(try shop.orders() == [])
        #expect(try shop.audit().received == 0)
    }

    @Test("Plays an outage against the agent, prices a basket in it, comes back, and leaves no trace")
    func complete() throws {
        let shop = try shop()
        let end = try shop.pos("doctor", "--drill", "--json")
        let checks = try end.document()["checks"]?.array ?? []
        let drill = checks.prefix { $0["name"]?.string?.hasPrefix("drill: ") == true }
        #expect(
            drill.map { $0["name"] } == [
                "drill: outage", "drill: quote", "drill: recording", "drill: way back",
            ])
        #expect(drill.allSatisfy { $0["ok"] == true }, "\(drill)")
        #expect(drill.first?["detail"]?.string?.contains("network") == true)
        #expect(checks.contains { $0["name"] == "catalogue" })
        try isUntouched(shop)
        // What the hub got since has no outage either.
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale.mode == "online")
        try shop.waitUntilDrained()
        let outages = shop.front?.requests.filter { $0.body.contains(#""start":"#) } ?? []
        #expect(outages.isEmpty)
    }

    @Test("Whose command is killed ends, and the till is online again by itself")
    func killedCommand() throws {
        let shop = try shop()
        let drill = try shop.startProgram("doctor", "--drill")
        try shop.waitUntil("the played outage", within: 30) { $0.mode == "offline" }
        #expect(try shop.status()["banner"]?["troubles"]?.array?.first == "drill")
        drill.kill()
        try isUntouched(shop)
    }

    @Test("Whose agent is killed leaves a till that starts as if there had been none")
    func killedAgent() throws {
        let shop = try shop()
        let drill = try shop.startProgram("doctor", "--drill")
        try shop.waitUntil("the played outage", within: 30) { $0.mode == "offline" }
        shop.killAgent()
        drill.kill()
        try shop.startAgent()
        #expect(try shop.status()["network"]?["evidence"]?.array?.contains("lastRun") == false)
        try isUntouched(shop)
    }

    @Test("Is refused while the till is offline, and changes nothing")
    func offline() throws {
        let shop = try shop()
        _ = try shop.document("offline", "on")
        let end = try shop.pos("doctor", "--drill", "--json")
        #expect(end.exitCode == 75 && end.errorCode == "drill_not_online")
        #expect(try shop.status()["manual"]?["on"] == true)
    }
}
