import Foundation
import HubProtocol
import TestKit
import Testing

/// What can happen while an outbox drains.
@Suite("The drain", .onStage, .serialized)
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

    @Test("Sales that are made during a drain go behind it, each once and in order")
    func saleDuringDrain() throws {
        let shop = try backlog(120)
        shop.front?.reply { request in
            if request.isPush { Thread.sleep(forTimeInterval: 0.1) }
            return .pass
        }
        _ = try shop.document("offline", "off")
        let sales = try shop.openSales()
        try sales.sellPieces(10)
        #expect(sales.close() == 0)
        try shop.waitUntilDrained()
        let audit = try shop.audit()
        #expect(audit.orders == 130)
        #expect(audit.isComplete)
        #expect(shop.arrivedSequences == Array(1...130))
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

    @Test("Inside a Retry-After nothing is sent, not even for a person or a new sale")
    func retryAfter() throws {
        let shop = try backlog(2)
        shop.front?.reply { request in
            request.isPush
                ? .response(
                    status: 429, headers: ["Content-Type": Problem.contentType, "Retry-After": "3"],
                    body: #"{"type":"x","title":"x","status":429,"code":"rate_limited","detail":"slow"}"#)
                : .pass
        }
        let before = shop.arrivedPushes
        _ = try shop.document("offline", "off")
        try shop.waitUntil("a first push", within: 10) { _ in shop.arrivedPushes > before }
        shop.front?.reply { _ in .pass }
        #expect(try shop.pos("sync", "now").exitCode == 75)
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(shop.arrivedPushes == before + 1)
        try shop.waitUntilDrained()
        #expect(try shop.audit().isComplete)
    }
}
