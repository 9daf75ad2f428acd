import Foundation
import HubProtocol
import TestKit
import Testing

/// Limits on a real connection, and how a till meets them; the others are in `HubServerTests`.
@Suite("pos-hub's limits", .onStage, .serialized)
struct HubLimitsTests {
    /// A batch without mutations that is `count` bytes long.
    private func body(of count: Int) -> String {
        let empty = #"{"mutations":[]}"#
        return String(repeating: " ", count: count - empty.utf8.count) + empty
    }

    @Test("A body of 1 MiB in chunks is read, one byte more is 413")
    func chunkedBody() throws {
        let hub = try HubUnderTest()
        let till = try hub.enrol()
        let client = try hub.client()
        let head =
            "POST \(Routes.mutationBatch) HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer \(till.grant.token)\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (count, status) in [(1 << 20, 200), (1 << 20 + 1, 413)] {
            let chunk = String(count, radix: 16) + "\r\n" + body(of: count) + "\r\n0\r\n\r\n"
            try client.send(Array((head + chunk).utf8))
            #expect(try client.response().status == status)
        }
    }

    @Test("A till that meets the limit keeps its sales and gets them all through")
    func drainingTill() throws {
        let file = try TemporaryFolder()
        let path = file.path("hub.json")
        try #"{"limits":{"requestsPerMinute":60}}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let shop = try ShopUnderTest(serving: ["--config", path])
        try shop.startAgent()
        for _ in 0..<75 {
            let sale = try shop.query(
                "POST", "/v1/sales", body: ["lines": [["barcode": .string(Article.assortment[0].barcode)]]])
            #expect(sale["orderNumber"] != nil, "\(sale)")
        }
        try shop.waitUntilDrained(within: 40)
        let audit = try shop.audit()
        #expect(audit.orders == 75)
        #expect(audit.isComplete)
    }
}
