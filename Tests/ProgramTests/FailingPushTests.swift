import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// Only the pushes fail; the hub's health and QoS respond.
@Suite("Pushes that fail alone", .onStage, .serialized)
struct FailingPushTests {
    @Test(
        "They are shown with a reason, reported to QoS, and over when one gets through",
        arguments: [
            ("page", "captivePortal"), ("cut", "connectFail"), ("redirect", "captivePortal"),
            ("forbidden", "captivePortal"),
        ])
    func shown(fault: String, reason: String) throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let page = "<html><body>Welcome</body></html>"
        shop.front?.reply { request in
            guard request.isPush else { return .pass }
            switch fault {
            case "page": return .response(status: 200, headers: ["Content-Type": "text/html"], body: page)
            case "forbidden":
                return .response(status: 403, headers: ["Content-Type": "text/html"], body: page)
            case "redirect":
                return .response(status: 302, headers: ["Location": "http://127.0.0.1/login"], body: "")
            default: return .bytes("")
            }
        }
        let sales = try shop.openSales()
        try sales.sellPieces(4)
        try shop.waitUntil("degraded with a reason", within: 20) { status in
            status["connectivity"]?["state"]?.string == "onlineDegraded"
                && status["connectivity"]?["reason"]?.string == reason
                && status["connectivity"]?["coreCallsFail"]?.bool == true
                && status["banner"]?["troubles"]?.array == ["notArriving"]
        }
        try shop.waitUntil("a report of the failures", within: 20) { _ in
            (shop.front?.requests ?? []).contains { request in
                guard request.path == Routes.qosReports, let body = try? JSONParser.parse(request.body.utf8)
                else { return false }
                let order = body["services"]?.array?.first { $0["service"]?.string == "order" }
                return (order?["failed"]?.object ?? [:]).values.contains { ($0.integer ?? 0) > 0 }
            }
        }
        #expect(sales.close() == 0)
        shop.front?.reply { _ in .pass }
        try shop.waitUntilDrained(within: 30)
        try shop.waitUntil("well again", within: 30) { $0["connectivity"]?["coreCallsFail"]?.bool == false }
        #expect(try shop.audit().isComplete)
    }
}
