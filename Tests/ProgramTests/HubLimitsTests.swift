import Foundation
import HubProtocol
import TestKit
import Testing

/// Each limit of the contract at its edge and one past it (http.md section 1).
@Suite("pos-hub's limits", .onStage, .serialized)
struct HubLimitsTests {
    /// A hub with a configuration file of its own.
    private func hub(_ configuration: String = "{}") throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        return try HubUnderTest(["--config", file], in: folder)
    }

    /// A batch without mutations that is `count` bytes long.
    private func body(of count: Int) -> String {
        let empty = #"{"mutations":[]}"#
        return String(repeating: " ", count: count - empty.utf8.count) + empty
    }

    @Test("A body of 1 MiB is read, one byte more is 413, in chunks too")
    func bodySize() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let client = try hub.client()
        func post(_ body: String) throws -> LoopbackAnswer {
            try client.request("POST", Routes.mutationBatch, headers: till.headers, body: body)
        }
        #expect(try post(body(of: 1 << 20)).status == 200)
        let tooLarge = try post(body(of: 1 << 20 + 1))
        #expect(tooLarge.status == 413)
        #expect(tooLarge.problemCode == "body_too_large")
        let head =
            "POST \(Routes.mutationBatch) HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer \(till.grant.token)\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (count, status) in [(1 << 20, 200), (1 << 20 + 1, 413)] {
            let chunk = String(count, radix: 16) + "\r\n" + body(of: count) + "\r\n0\r\n\r\n"
            try client.send(Array((head + chunk).utf8))
            #expect(try client.answer().status == status)
        }
    }

    @Test("64 levels are read, 65 are 400")
    func depth() throws {
        let hub = try hub()
        let till = try hub.enrol()
        let client = try hub.client()
        for (levels, status) in [(64, 200), (65, 400)] {
            // The body is one level, the telemetry's objects are the others.
            let nested = String(repeating: #"{"a":"#, count: levels - 1) + "1"
            let body = #"{"mutations":[],"telemetry":"# + nested + String(repeating: "}", count: levels)
            let answer = try client.request(
                "POST", Routes.mutationBatch, headers: till.headers, body: body)
            #expect(answer.status == status, "\(levels)")
        }
    }

    @Test("200 mutations are accepted; 201 are 413 and none of them is")
    func batchSize() throws {
        let hub = try hub()
        var till = try hub.enrol()
        let client = try hub.client()
        let many = (0..<201).map { _ in till.sale() }
        let refused = try till.push(many, on: client)
        #expect(refused.status == 413)
        #expect(refused.problemCode == "too_many_mutations")
        #expect(try hub.json("audit")["terminals"]?.array?.first?["received"] == 0)
        let answer = try till.push(Array(many.prefix(200)), on: client)
        #expect(try answer.json()["acknowledgedThrough"] == 200)
    }

    @Test("A batch with one mutation that cannot be read is refused as a whole")
    func nothingHalf() throws {
        let hub = try hub()
        var till = try hub.enrol()
        let client = try hub.client()
        let sales = (0..<5).map { _ in till.sale() }
        let broken = sales.map(\.json) + [["id": "no ULID", "sequence": 6]]
        let body: JSONValue = ["mutations": .array(broken), "epoch": 1, "lowSequence": 1]
        let refused = try client.request(
            "POST", Routes.mutationBatch, headers: till.headers, body: body.canonicalText)
        #expect(refused.problemCode == "malformed_request")
        #expect(try till.push([], on: client).json()["acknowledgedThrough"] == 0)
        #expect(try till.push(sales, on: client).json()["acknowledgedThrough"] == 5)
    }

    @Test("A terminal's rate is one minute's worth at once; past it 429 has the time to wait")
    func rate() throws {
        let hub = try hub(#"{"limits":{"requestsPerMinute":60}}"#)
        var till = try hub.enrol()
        let other = try hub.enrol()
        let client = try hub.client()
        let sale = till.sale()
        for _ in 0..<60 {
            #expect(try client.request("GET", Routes.changes, headers: till.headers).status == 200)
        }
        let refused = try till.push(sale, on: client)
        #expect(refused.status == 429)
        #expect(refused.problemCode == "rate_limited")
        let wait = try #require(refused.headers["retry-after"].flatMap { Double($0) })
        #expect((1...2).contains(wait))
        #expect(try client.request("GET", Routes.changes, headers: other.headers).status == 200)
        #expect(try client.request("GET", Routes.health).status == 200)
        #expect(try hub.json("audit")["terminals"]?.array?.first?["received"] == 0)
        Thread.sleep(forTimeInterval: wait)
        #expect(try till.push(sale, on: client).status == 201)
    }

    @Test("A value of a peer that is out of range is clamped; what is no number is refused")
    func clamped() throws {
        let hub = try hub()
        var till = try hub.enrol()
        let client = try hub.client()
        for limit in ["0", "-7", "1001", "99999999999999999999"] {
            let answer = try client.request("GET", "\(Routes.changes)?limit=\(limit)", headers: till.headers)
            #expect(answer.status == 200, "\(limit)")
        }
        #expect(
            try client.request("GET", "\(Routes.changes)?limit=ten", headers: till.headers).status == 400)
        let headers = [HeaderNames.epoch: "0", HeaderNames.lowSequence: "-3"]
        #expect(try till.push(till.sale(), on: client, headers: headers).status == 201)
        let counts = #"{"services":[{"service":"order","ok":-5,"failed":{"timeout":99999999999}}]}"#
        #expect(
            try client.request("POST", Routes.qosReports, headers: till.headers, body: counts).status == 200)
    }

    @Test("A till that meets the limit keeps its sales and gets them all through")
    func drainingTill() throws {
        let file = try TemporaryFolder()
        let path = file.path("hub.json")
        try #"{"limits":{"requestsPerMinute":60}}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let shop = try ShopUnderTest(serving: ["--config", path])
        try shop.startAgent()
        for _ in 0..<75 {
            let sale = try shop.ask(
                "POST", "/v1/sales", body: ["lines": [["barcode": .string(Article.assortment[0].barcode)]]])
            #expect(sale["orderNumber"] != nil, "\(sale)")
        }
        try shop.waitUntilDrained(within: 40)
        let audit = try shop.audit()
        #expect(audit.orders == 75)
        #expect(audit.isWhole)
    }
}
