import Foundation
import HubProtocol
import TestKit
import Testing

/// The drain after errors of the hub: it goes on soon, or shows until when it waits.
@Suite("The drain after the hub's trouble", .onStage, .serialized)
struct PostponedDrainTests {
    private func problem(_ status: Int, retryAfter: Int? = nil) -> HubFront.Rule {
        { request in
            guard request.isPush else { return .pass }
            var headers = ["Content-Type": "application/problem+json"]
            if let retryAfter { headers["Retry-After"] = String(retryAfter) }
            return .response(
                status: status, headers: headers, body: #"{"code":"rate_limited","status":\#(status)}"#)
        }
    }

    @Test("Sales into errors postpone nothing: the hub well again and the shop quiet, all is sent soon")
    func errorsUnderSales() throws {
        let shop = try ShopUnderTest(.front)
        // By the operator's decision the terminal stays online, so that no route is restored afterwards.
        try shop.posHub("qos", "set", "order", "healthy", "--reason", "watched by hand")
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        shop.front?.reply(problem(503))
        // Each of these sales brings a push forward: more than enough to double a step up to 12 h.
        for index in 0..<24 {
            #expect(try sales.sell(SaleRequests.piece(index))["sync"]?.string == "pending")
            Thread.sleep(forTimeInterval: 0.3)
        }
        #expect(sales.close() == 0)
        shop.front?.reply { _ in .pass }
        try shop.waitUntilDrained(within: 20)
        #expect(try shop.audit().orders == 24)
    }

    @Test("A Retry-After is shown with its end, and no message advises what does not help")
    func retryAfter() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply(problem(429, retryAfter: 900))
        #expect(
            try shop.document("sell", "--line", Article.assortment[0].barcode)["sync"]?.string == "pending")
        // The hub serves everything else, which is no leave to push.
        let pull = try shop.pos("sync", "now", "--json")
        #expect(pull.exitCode == 75)
        let document = try JSONParser.parse((pull.output.first ?? "").utf8)
        #expect(document["retryHelps"]?.bool == false)
        #expect(document["stoppedBy"]?.string?.contains("until") == true)
        #expect(!pull.errors.contains { $0.contains("tries again") })
        let status = try shop.status()
        #expect(status.mode == "online")
        #expect(status["connectivity"]?["reason"]?.string == "rateLimit")
        let end = try #require(status["outbox"]?["retryAfterEndsAt"]?.string)
        #expect(status["connectivity"]?["rateLimitEndsAt"]?.string?.prefix(16) == end.prefix(16))
        #expect(status["banner"]?["troubles"]?.array == ["busy"])
        #expect(status["banner"]?["action"]?.string == "none")
        #expect(status["banner"]?["text"]?["en"]?.string?.contains("asked to wait until") == true)
        #expect(try shop.document("sync", "status")["retryAfterEndsAt"]?.string?.prefix(16) == end.prefix(16))
    }
}
