import Foundation
import HubProtocol
import TestKit
import Testing

/// What can happen while an outbox drains; the rest of it happens in the worlds of `pos-sim`.
@Suite("The drain", .onStage)
struct DrainTests {
    /// A running till with `count` pending sales, and no front between it and the hub yet.
    private func backlog(_ count: Int) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("offline", "on")
        let sales = try shop.openSales()
        try sales.sellPieces(count)
        #expect(sales.close() == 0)
        return shop
    }

    @Test("One row that the hub refuses never delays the others: the batch is halved down to it")
    func poison() throws {
        let shop = try backlog(30)
        let poisoned = try #require(
            try shop.document("sync", "status")["items"]?.array?[11]["id"]?.string)
        shop.front?.reply { request in
            guard request.isPush, request.mutationIds.contains(poisoned) else { return .pass }
            return .response(
                status: 413, headers: ["Content-Type": Problem.contentType],
                body: #"{"type":"x","title":"x","status":413,"code":"body_too_large","detail":"too large"}"#)
        }
        _ = try shop.document("offline", "off")
        try shop.waitUntil("all but one sent", within: 20) { $0.pending == 1 }
        let item = try #require(try shop.document("sync", "status")["items"]?.array?.first)
        #expect(item["id"] == .string(poisoned))
        #expect(item["state"] == "pending")
        #expect(item["problem"] != nil)
        shop.front?.reply { _ in .pass }
        _ = try shop.pos("sync", "retry", poisoned)
        try shop.waitUntilDrained()
        #expect(try shop.audit().orders == 30)
        #expect(try shop.audit().isComplete)
    }
}
