import HubProtocol
import TestKit
import Testing

/// How tills are doing, as the hub shows it.
@Suite("Telemetry", .onStage, .serialized)
struct TelemetryTests {
    private func sight(_ shop: ShopUnderTest) throws -> JSONValue {
        try #require(try shop.posHub("terminals", "list")["terminals"]?.array?.first)
    }

    @Test("After a sync the hub shows version, depth, success rate and when the till was seen")
    func shown() throws {
        let shop = try ShopUnderTest()
        #expect(try sight(shop)["telemetryAt"] == nil)
        _ = try shop.document("offline", "on")
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        _ = try shop.document("offline", "off")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let sight = try sight(shop)
        #expect(sight["appVersion"] == "0.1.0")
        #expect(sight["osVersion"]?.string?.isEmpty == false)
        #expect(sight["outbox"]?["pending"] == 0)
        #expect(sight["sync"]?["successRate"] == 1)
        #expect(try #require(sight["sync"]?["attempts"]?.integer) > 0)
        #expect(sight["lastSeenAt"]?.string != nil)
        #expect(sight["connectivity"]?["state"]?.string != nil)
        #expect(sight["offlinePeriods"]?.array?.first?["causes"] == ["manual"])
        let evidence = sight["offlinePeriods"]?.array?.first?["evidence"]?.array?.first?.string
        #expect(evidence?.hasPrefix("manual") == true, "\(sight)")
        let words = try ProgramUnderTest.run("pos-hub", ["terminals", "list"] + shop.storeArguments)
        #expect(words.text.contains("0 pending, 0 rejected, 0 in conflict"))
        #expect(words.text.contains("success 100 %"))
    }

    @Test("What the hub refused is counted by endpoint and category, and failures lower the success rate")
    func refusals() throws {
        let shop = try ShopUnderTest(.front)
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let number = try #require(sale["orderNumber"]?.string)
        shop.front?.reply { $0.isPush ? .response(status: 503, body: "{}") : .pass }
        _ = try shop.document("orders", "void", number)
        #expect(try shop.pos("sync", "now").exitCode == 75)
        shop.front?.reply { request in
            guard request.isPush, request.path == Routes.mutation,
                let id = (try? JSONParser.parse(Array(request.body.utf8)))?["id"]?.string
            else { return .pass }
            let problem = """
                {"type":"urn:pos:problem:conflict","title":"t","status":409,"detail":"d","code":"conflict",\
                "id":"\(id)","outcome":"conflict","policy":"escalate","serverState":{}}
                """
            return .response(
                status: 409, headers: ["Content-Type": Problem.contentType], body: problem)
        }
        _ = try shop.pos("sync", "now")
        let sight = try sight(shop)
        #expect(sight["outbox"]?["conflicted"] == 1)
        let conflict = try #require(sight["conflicts"]?.array?.first)
        #expect(conflict["endpoint"] == "/v1/mutations")
        #expect(conflict["category"] == "escalate")
        #expect(try #require(conflict["count"]?.integer) >= 1)
        #expect(sight["conflictRate"] != nil)
    }

    @Test("On a narrow path none is sent, neither alone nor beside a batch")
    func constrained() throws {
        let shop = try ShopUnderTest(.front)
        shop.settings = shop.settings.with(["POS_NETWORK_CONSTRAINED": "true"])
        _ = try shop.document("offline", "on")
        for _ in 0..<4 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        _ = try shop.document("offline", "off")
        #expect(try shop.document("sync", "now")["pending"] == 0)
        let requests = shop.front?.requests ?? []
        #expect(requests.contains { $0.path == Routes.mutationBatch })
        #expect(!requests.contains { $0.path == Routes.telemetry || $0.body.contains("\"telemetry\"") })
        #expect(try sight(shop)["telemetryAt"] == nil)
    }

    @Test("What rides on a batch is kept, and what has not been written yet is when the hub ends")
    func riding() throws {
        let hub = try HubUnderTest()
        var till = try hub.enrol()
        let client = try hub.client()
        for version in ["7", "8"] {
            let body =
                "{\"epoch\":1,\"mutations\":[\(till.sale().json.canonicalText)],"
                + "\"telemetry\":{\"appVersion\":\"\(version)\"}}"
            #expect(
                try client.request("POST", Routes.mutationBatch, headers: till.headers, body: body).status
                    == 200)
        }
        hub.program.terminate()
        #expect(hub.program.exitCode(within: 30) == 0)
        let sight = try #require(try hub.json("terminals", "list")["terminals"]?.array?.first)
        #expect(sight["appVersion"] == "8")
        #expect(sight["versions"]?.array?.count == 2)
    }
}
