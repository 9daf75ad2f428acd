import Base
import Foundation
import TestKit
import Testing

/// Programs killed at any moment: every sale that got a response is there once.
@Suite("Kill -9", .onStage, .serialized)
struct KillTests {
    @Test("The agent, 20 times during a stream of sales: each confirmed sale is there exactly once")
    func agent() throws {
        let shop = try ShopUnderTest()
        var ledger = SalesWithResponse()
        var random = SplitMix64(seed: 20)
        for _ in 0..<20 {
            try shop.startAgent()
            let sales = try shop.openSales()
            try ledger.sendAgain(sales)
            try ledger.send(60, to: sales)
            let end = ContinuousClock().now + .milliseconds(Int64(random.below(250)))
            while ContinuousClock().now < end { ledger.note(from: sales, within: 0.005) }
            shop.killAgent()
            sales.program.closeInput()
            while ledger.note(from: sales, within: 5) {}
            #expect(sales.program.exitCode(within: 20) == (ledger.open.isEmpty ? 0 : 75))
        }
        try check(shop, &ledger)
    }

    @Test("A command that is its own agent, 15 times: each confirmed sale is there exactly once")
    func command() throws {
        let shop = try ShopUnderTest()
        var ledger = SalesWithResponse()
        var random = SplitMix64(seed: 15)
        for _ in 0..<15 {
            let sales = try shop.openSales()
            try ledger.sendAgain(sales)
            try ledger.send(30, to: sales)
            ledger.note(from: sales, within: 10)
            let end = ContinuousClock().now + .milliseconds(Int64(random.below(150)))
            while ContinuousClock().now < end { ledger.note(from: sales, within: 0.005) }
            sales.program.kill()
            while ledger.note(from: sales, within: 5) {}
        }
        try check(shop, &ledger)
    }

    @Test("The hub, 6 times while the outbox drains: it has every order once")
    func hub() throws {
        try ShopUnderTest().killHubDuringDrains(rounds: 6)
    }

    /// Repeats what is open and compares till and hub with the responses.
    private func check(_ shop: ShopUnderTest, _ ledger: inout SalesWithResponse) throws {
        try shop.startAgent()
        let sales = try shop.openSales()
        try ledger.sendAgain(sales)
        #expect(sales.close() == 0)
        try shop.waitUntilDrained(within: 60)
        try ledger.check(shop)
    }
}
