import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

@Suite("The hub decides on services")
struct QoSRoutesTests {
    private func decision(
        _ service: String, of till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> JSONValue? {
        let response = try await hub.request(
            "GET", Routes.qosDecisions + "?services=\(service)", headers: till.headers)
        return try response.json()["decisions"]?.array?.first
    }

    @Test("Healthy at first, faulty by an operator's decision, and back; every change is a new generation")
    func override() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        let before = try #require(try await decision("order", of: till, on: hub))
        #expect(before["state"] == "healthy")
        try await hub.perform(.overrideService("order", state: "faulty", reason: "works", until: nil))
        let faulty = try #require(try await decision("order", of: till, on: hub))
        #expect(faulty["state"] == "faulty")
        #expect(faulty["source"] == "operator")
        #expect(faulty["reason"] == "works")
        #expect((faulty["generation"]?.integer ?? 0) > (before["generation"]?.integer ?? 0))
        try await hub.perform(.clearOverride("order"))
        #expect(try await decision("order", of: till, on: hub)?["state"] == "healthy")
        let nothing = AdminCall.overrideService("nothing", state: "faulty", reason: "x", until: nil)
        #expect(try await hub.refusal(nothing) == .notFound)
    }

    @Test("An unchanged response is 304 by its tag; a change is not")
    func entityTag() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        let first = try await hub.request("GET", Routes.qosDecisions, headers: till.headers)
        let tag = try #require(first.headers["etag"])
        let headers = till.headers.merging(["If-None-Match": tag]) { $1 }
        let again = try await hub.request("GET", Routes.qosDecisions, headers: headers)
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        try await hub.perform(.overrideService("order", state: "faulty", reason: "works", until: nil))
        #expect(try await hub.request("GET", Routes.qosDecisions, headers: headers).status == 200)
    }

    @Test("A till whose own requests all fail gets the decision faulty; its neighbour does not")
    func reports() async throws {
        let hub = try await HubInProcess()
        let (till, neighbour) = (try await hub.enrol(), try await hub.enrol())
        let report: JSONValue = [
            "windowStart": "2026-11-21T00:00:00.000Z", "windowEnd": "2026-11-21T00:00:01.000Z",
            "services": [["service": "order", "ok": 0, "failed": ["timeout": 3, "http5xx": 2]]],
        ]
        let response = try await hub.request(
            "POST", Routes.qosReports, headers: till.headers, body: report.canonicalText)
        let decision = try #require(try response.json()["decisions"]?.array?.first)
        #expect(decision["state"] == "faulty")
        #expect(decision["scope"] == "terminal")
        #expect(try await self.decision("order", of: neighbour, on: hub)?["state"] == "healthy")
    }

    @Test("One till's hundred thousand failures reach no till of another store; operators see whose they are")
    func oneBadTill() async throws {
        let hub = try await HubInProcess()
        let bad = try await hub.enrol(store: "S1")
        var honest: [TillOverHTTP] = []
        for store in ["S2", "S3", "S4"] { honest.append(try await hub.enrol(store: store)) }
        func report(_ till: TillOverHTTP, ok: Int, failed: Int, window: Int) async throws {
            let counts = ["order", "payment"].map {
                #"{"service":"\#($0)","ok":\#(ok),"failed":{"timeout":\#(failed)}}"#
            }.joined(separator: ",")
            let body = #"{"windowStart":"2026-11-21T00:00:0\#(window).000Z","services":[\#(counts)]}"#
            #expect(
                try await hub.request("POST", Routes.qosReports, headers: till.headers, body: body).status
                    == 200
            )
        }
        for till in honest { try await report(till, ok: 5_000, failed: 0, window: 0) }
        for window in 0...3 { try await report(bad, ok: 0, failed: 100_000, window: window) }
        for service in ["order", "payment"] {
            for till in honest {
                #expect(try await decision(service, of: till, on: hub)?["state"] == "healthy")
            }
            #expect(try await decision(service, of: bad, on: hub)?["scope"] == "terminal")
        }
        let services = try await hub.perform(.qosStatus)["services"]?.array ?? []
        let payment = try #require(services.first { $0["service"] == "payment" })
        let evidence = try #require(payment["scopes"]?.array?.first?["evidence"])
        #expect(evidence["terminals"]?.array?.first?["terminalId"]?.string == bad.grant.terminalId)
        #expect(evidence["stores"]?.array?.first?["storeId"] == "S1")
        #expect(payment["history"]?.array?.first?["evidence"] == evidence)
    }
}
