import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// A connection that goes silent, with T1 = 3 s.
@Suite("A silent line, through the relay", .onStage, .serialized)
struct NetworkBlackholeTests {
    @Test("It switches between 3 and 12 s, no sale waits for it, and all arrive once and in order")
    func silentBlackhole() throws {
        let shop = try ShopUnderTest([.relay, .front])
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        var count = try sales.sellPieces(3).count

        shop.relay?.setMode(.silentBlackhole)
        let dead = ContinuousClock().now
        var meanwhile: [JSONValue] = []
        var switched: Double?
        while switched == nil, (ContinuousClock().now - dead).seconds < 20 {
            meanwhile.append(try sales.sell(SaleRequests.piece(count)))
            count += 1
            if try shop.status().causes.contains("network") {
                switched = (ContinuousClock().now - dead).seconds
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        let after = try #require(switched, "the silent connection was never found faulty")
        #expect(after >= 3 && after <= 12)
        #expect(meanwhile.allSatisfy { $0.elapsedMilliseconds < 1900 })

        let offline = try sales.sellPieces(20)
        count += 20
        #expect(offline.areUnhindered)
        #expect(offline.allSatisfy { $0.mode == "offline" && $0["sync"]?.string == "pending" })

        shop.relay?.setMode(.open)
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(count))
        #expect(audit.isComplete)
        #expect(shop.arrivedSequences == Array(1...Int64(count)))
        let period = try shop.document("history")["periods"]?.array?.first { $0.causes.contains("network") }
        #expect(period?["end"]?.string != nil)
        let last = meanwhile.filter { $0.mode == "offline" }
        #expect(period?["sales"]?.integer == Int64(20 + last.count))
    }

    @Test("An idle till goes offline on a silent connection as well, and no sooner than T1")
    func idleBlackhole() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.silentBlackhole)
        let after = try shop.waitUntil("offline", within: 25) { $0.causes.contains("network") }
        #expect(after >= 3)
    }

    @Test("Five short silences of 1.2 s switch nothing")
    func shortSilences() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        var count = 0
        for _ in 0..<5 {
            shop.relay?.setMode(.silentBlackhole)
            let isOnline = try shop.holds(for: 1.2) { $0.mode == "online" }
            #expect(isOnline)
            try sales.send(SaleRequests.piece(count))
            shop.relay?.setMode(.open)
            #expect(try sales.response().mode == "online")
            count += 1
            #expect(try shop.holds(for: 1.8) { $0.mode == "online" })
        }
        #expect(sales.close() == 0)
        #expect(try shop.document("history")["periods"]?.array == [])
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == Int64(count))
    }

    @Test("With a hub that refuses connections the till goes offline no sooner than T1, and online by itself")
    func refusedConnections() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        // T1 begins with the first failure, at the earliest now: the two sales are part of it.
        let begin = ContinuousClock.now
        shop.relay?.setMode(.refusing)
        try sales.sellPieces(2)
        try shop.waitUntil("offline", within: 12) { $0.mode == "offline" }
        #expect(ContinuousClock.now - begin >= .seconds(2.5))
        try sales.sellPieces(3)
        shop.relay?.setMode(.open)
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == 5)
    }

    @Test("Killed while the line is dead, the till starts offline, sells, and comes back when the line does")
    func killedWhileOffline() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.silentBlackhole)
        let sales = try shop.openSales()
        try sales.sellPieces(2)
        try shop.waitUntil("offline", within: 15) { $0.causes.contains("network") }
        #expect(sales.close() == 0)
        shop.killAgent()
        try shop.startAgent()
        #expect(try shop.status().causes.contains("network"))
        let more = try shop.openSales()
        #expect(try more.sell(SaleRequests.piece()).elapsedMilliseconds < 1900)
        #expect(more.close() == 0)
        shop.relay?.setMode(.open)
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 3)
    }

    @Test("Started while the hub is away, the till sells at once, goes offline, and finds the hub by itself")
    func startedWithoutHub() throws {
        let shop = try ShopUnderTest()
        shop.killHub()
        try shop.startAgent()
        let sales = try shop.openSales()
        let first = try sales.sell(SaleRequests.piece())
        #expect(first.elapsedMilliseconds < 1900)
        #expect(first["sync"]?.string == "pending")
        try shop.waitUntil("offline", within: 15) { $0.causes.contains("network") }
        try sales.sellPieces(2)
        try shop.startHub()
        try shop.waitUntil("online", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == 3)
    }
}
