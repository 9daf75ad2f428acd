import Foundation
import HubProtocol
import OfflineCore
import TestKit
import Testing

/// Programs killed at any moment: every sale that was answered is there once.
@Suite("Kill -9", .onStage, .serialized)
struct KillTests {
    /// What a till's owner remembers of its answers.
    private struct Ledger {
        /// The order number of each answered key.
        var answered: [String: String] = [:]
        /// Keys that were asked and not answered.
        var open: Set<String> = []

        mutating func note(_ answer: JSONValue) {
            guard let key = answer["key"]?.string, let number = answer["orderNumber"]?.string else { return }
            #expect(answered[key] == nil || answered[key] == number, "\(key) was sold twice")
            answered[key] = number
            open.remove(key)
        }
    }

    @Test("The agent, 20 times during a stream of sales: each answered sale is there exactly once")
    func agent() throws {
        let shop = try ShopUnderTest()
        var ledger = Ledger()
        var random = SplitMix64(seed: 20)
        for _ in 0..<20 {
            try shop.startAgent()
            let sales = try shop.openSales()
            try resend(&ledger, to: sales)
            try ask(60, &ledger, of: sales)
            let end = ContinuousClock().now + .milliseconds(Int64(random.below(250)))
            while ContinuousClock().now < end { note(&ledger, from: sales, within: 0.005) }
            shop.killAgent()
            sales.program.closeInput()
            while note(&ledger, from: sales, within: 5) {}
            #expect(sales.program.exitCode(within: 20) == (ledger.open.isEmpty ? 0 : 75))
        }
        try check(shop, &ledger)
    }

    @Test("A command that is its own agent, 15 times: each answered sale is there exactly once")
    func command() throws {
        let shop = try ShopUnderTest()
        var ledger = Ledger()
        var random = SplitMix64(seed: 15)
        for _ in 0..<15 {
            let sales = try shop.openSales()
            try resend(&ledger, to: sales)
            try ask(30, &ledger, of: sales)
            note(&ledger, from: sales, within: 10)
            let end = ContinuousClock().now + .milliseconds(Int64(random.below(150)))
            while ContinuousClock().now < end { note(&ledger, from: sales, within: 0.005) }
            sales.program.kill()
            while note(&ledger, from: sales, within: 5) {}
        }
        try check(shop, &ledger)
    }

    @Test("The hub, 6 times while the outbox drains: it has every order once")
    func hub() throws {
        let shop = try ShopUnderTest()
        var random = SplitMix64(seed: 6)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        for _ in 0..<6 {
            _ = try shop.ask("POST", "/v1/manual", body: ["on": true])
            try sales.sellPieces(120)
            _ = try shop.ask("POST", "/v1/manual", body: ["on": false])
            Thread.sleep(forTimeInterval: Double(random.below(120)) / 1000)
            shop.killHub()
            try shop.startHub()
        }
        #expect(sales.close() == 0)
        try shop.waitUntilDrained(within: 60)
        let audit = try shop.audit()
        #expect(audit.orders == 720)
        #expect(audit.received == 720)
        #expect(audit.isWhole)
    }

    /// Writes `count` requests without waiting for answers.
    private func ask(_ count: Int, _ ledger: inout Ledger, of sales: SaleStreamUnderTest) throws {
        for index in 0..<count {
            let key = SaleRequests.key()
            ledger.open.insert(key)
            try sales.send(SaleRequests.piece(index, key: key))
        }
    }

    /// Asks again what was not answered, as a till does after a crash.
    private func resend(_ ledger: inout Ledger, to sales: SaleStreamUnderTest) throws {
        let keys = ledger.open.sorted()
        for key in keys { try sales.send(SaleRequests.piece(0, key: key)) }
        for _ in keys { ledger.note(try sales.answer()) }
    }

    @discardableResult
    private func note(_ ledger: inout Ledger, from sales: SaleStreamUnderTest, within seconds: Double) -> Bool
    {
        guard let answer = try? sales.answer(within: seconds) else { return false }
        ledger.note(answer)
        return true
    }

    /// Holds the till's orders and the hub's audit against what was answered.
    private func check(_ shop: ShopUnderTest, _ ledger: inout Ledger) throws {
        try shop.startAgent()
        let sales = try shop.openSales()
        try resend(&ledger, to: sales)
        #expect(sales.close() == 0)
        try shop.waitUntilDrained(within: 60)
        let orders = try shop.orders()
        let byKey = Dictionary(grouping: orders) { $0["key"]?.string ?? "" }
        #expect(byKey.allSatisfy { $0.value.count == 1 })
        #expect(byKey.count == ledger.answered.count)
        for (key, number) in ledger.answered {
            #expect(byKey[key]?.first?["orderNumber"]?.string == number, "\(key)")
        }
        #expect(Set(orders.compactMap { $0["orderNumber"]?.string }).count == orders.count)
        let audit = try shop.audit()
        #expect(audit.orders == Int64(orders.count))
        #expect(audit.total == orders.reduce(0) { $0 + ($1["total"]?["amount"]?.integer ?? 0) })
        #expect(audit.isWhole)
    }
}
