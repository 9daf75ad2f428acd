import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub decides on services", .onStage, .serialized)
struct HubQoSTests {
    private func decision(
        _ service: String, of till: TillOverHTTP, on client: LoopbackClient
    ) throws -> JSONValue? {
        let response = try client.request(
            "GET", Routes.qosDecisions + "?services=\(service)", headers: till.headers)
        return try response.json()["decisions"]?.array?.first
    }

    @Test("Healthy at first, faulty by an operator's decision, and back; every change is a new generation")
    func override() throws {
        let hub = try HubUnderTest()
        let till = try hub.enrol()
        let client = try hub.client()
        let before = try #require(try decision("order", of: till, on: client))
        #expect(before["state"] == "healthy")
        #expect(try hub.run("qos", "set", "order", "faulty", "--reason", "works").exitCode == 0)
        let faulty = try #require(try decision("order", of: till, on: client))
        #expect(faulty["state"] == "faulty")
        #expect(faulty["source"] == "operator")
        #expect(faulty["reason"] == "works")
        #expect((faulty["generation"]?.integer ?? 0) > (before["generation"]?.integer ?? 0))
        try hub.killAndRestart()
        #expect(try decision("order", of: till, on: try hub.client())?["state"] == "faulty")
        #expect(try hub.run("qos", "clear", "order").exitCode == 0)
        #expect(try decision("order", of: till, on: try hub.client())?["state"] == "healthy")
        #expect(try hub.run("qos", "set", "nothing", "faulty", "--reason", "x").exitCode == 4)
    }

    @Test("The status names the stores and terminals behind a fault")
    func evidence() throws {
        let hub = try HubUnderTest()
        let till = try hub.enrol()
        let body =
            #"{"windowStart":"2026-11-21T00:00:00.000Z","services":[{"service":"payment","ok":0,"#
            + #""failed":{"timeout":100000}}]}"#
        let response = try hub.client().request("POST", Routes.qosReports, headers: till.headers, body: body)
        #expect(response.status == 200)
        let text = try hub.run("qos", "status").text
        #expect(text.contains("store S1  terminal \(till.grant.terminalId)"), "\(text)")
    }

    @Test("As its own process it accepts the tokens and responds while the order store's process is gone")
    func ownProcess() throws {
        let folder = try TemporaryFolder()
        let sync = try HubUnderTest(["--roles", "sync"], in: folder)
        let qos = try HubUnderTest(["--roles", "qos"], in: folder)
        let till = try sync.enrol()
        #expect(try sync.client().request("GET", Routes.qosDecisions, headers: till.headers).status == 404)
        sync.program.kill()
        #expect(try decision("order", of: till, on: try qos.client())?["state"] == "healthy")
        #expect(try qos.run("qos", "set", "order", "faulty", "--reason", "down").exitCode == 0)
        #expect(try decision("order", of: till, on: try qos.client())?["state"] == "faulty")
        #expect(try qos.run("terminals", "list").exitCode == 0)
    }

    @Test("An operator's token works, also while only the QoS process is left; anybody else's does not")
    func operatorToken() throws {
        let folder = try TemporaryFolder()
        let sync = try HubUnderTest(["--roles", "sync"], in: folder)
        let token = try #require(try sync.json("operator", "add", "jo")["token"]?.string)
        let qos = try HubUnderTest(["--roles", "qos"], in: folder)
        sync.program.kill()
        let client = try qos.client()
        let path = "/v1/qos/services/payment/override"
        let body = #"{"state":"faulty","reason":"terminal upgrade","until":null,"storeId":"S1"}"#
        #expect(try client.request("PUT", path, body: body).problemCode == "operator_required")
        let headers = ["Authorization": "Bearer \(token)"]
        let response = try client.request("PUT", path, headers: headers, body: body)
        #expect(response.status == 200)
        let payment = try response.json()["services"]?.array?.first { $0["service"] == "payment" }
        #expect(payment?["storeOverrides"]?.array?.first?["by"] == "jo")
        let cleared = try client.request("DELETE", path + "?storeId=S1", headers: headers)
        #expect(cleared.status == 200)
        #expect(try client.request("GET", Routes.qosServices, headers: headers).status == 200)
    }

    @Test("Three probes in a row that fail make the order service faulty, with the probe as the source")
    func probes() throws {
        let folder = try TemporaryFolder()
        let configuration = folder.path("hub.json")
        try #"{"qos":{"probeSeconds":1}}"#.write(toFile: configuration, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", configuration], in: folder)
        let till = try hub.enrol()
        let held = try HeldStore(folder: folder)
        let client = try hub.client()
        let limit = Date(timeIntervalSinceNow: 30)
        var decision = try decision("order", of: till, on: client)
        while decision?["state"] == "healthy", Date() < limit {
            usleep(100_000)
            decision = try self.decision("order", of: till, on: client)
        }
        #expect(decision?["state"] == "faulty")
        #expect(decision?["source"] == "probe")
        held.release()
    }
}
