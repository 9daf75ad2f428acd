import HubProtocol
import Base
import Foundation
import Testing

extension ShopUnderTest {
    /// Fills the outbox and kills the hub at a random moment of its drain, again and again: every order is
    /// there once in the end.
    func killHubDuringDrains(rounds: Int, seed: UInt64 = 6) throws {
        var random = SplitMix64(seed: seed)
        try startAgent()
        try waitUntilReachable()
        let sales = try openSales()
        for _ in 0..<rounds {
            _ = try query("POST", "/v1/manual", body: ["on": true])
            try sales.sellPieces(120)
            _ = try query("POST", "/v1/manual", body: ["on": false])
            Thread.sleep(forTimeInterval: Double(random.below(120)) / 1000)
            killHub()
            try startHub()
        }
        #expect(sales.close() == 0)
        try waitUntilDrained(within: 60)
        let audit = try audit()
        #expect(audit.orders == Int64(rounds) * 120)
        #expect(audit.received == Int64(rounds) * 120)
        #expect(audit.isComplete)
    }
}
