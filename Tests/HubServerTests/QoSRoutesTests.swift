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

    @Test("Every response for a till repeats the request's nonce and is kept by no cache, as 304 too")
    func nonces() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        let headers = till.headers.merging([HeaderNames.nonce: "a1b2"]) { $1 }
        let first = try await hub.request("GET", Routes.qosDecisions, headers: headers)
        let tagged = headers.merging(["If-None-Match": try #require(first.headers["etag"])]) { $1 }
        let unchanged = try await hub.request("GET", Routes.qosDecisions, headers: tagged)
        let report: JSONValue = [
            "windowStart": "2026-11-21T00:00:00.000Z", "windowEnd": "2026-11-21T00:00:01.000Z",
            "services": [["service": "order", "ok": 1, "failed": [:]]],
        ]
        let reported = try await hub.request(
            "POST", Routes.qosReports, headers: headers, body: report.canonicalText)
        #expect(first.status == 200)
        #expect(unchanged.status == 304)
        #expect(reported.status == 200)
        for response in [first, unchanged, reported] {
            #expect(response.headers["pos-nonce"] == "a1b2")
            #expect(response.headers["cache-control"] == "no-store")
        }
        let bare = try await hub.request("GET", Routes.qosDecisions, headers: till.headers)
        #expect(bare.headers["pos-nonce"] == nil)
        let long = till.headers.merging([HeaderNames.nonce: String(repeating: "a", count: 129)]) { $1 }
        #expect(
            try await hub.request("GET", Routes.qosDecisions, headers: long).headers["pos-nonce"] == nil)
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

    /// What an operator sees of one terminal's agreement.
    private func agreement(of till: TillOverHTTP, on hub: HubInProcess) async throws -> JSONValue? {
        let terminals = try await hub.perform(.qosTerminals)["terminals"]?.array ?? []
        return terminals.first { $0["terminalId"]?.string == till.grant.terminalId }?["agrees"]
    }

    @Test("A terminal agrees once it named the hub's decision itself: by the tag of a poll, or by a report")
    func followers() async throws {
        let hub = try await HubInProcess()
        let (quick, slow) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        func poll(_ till: TillOverHTTP, _ tag: String?) async throws -> String? {
            let headers = till.headers.merging(tag.map { ["If-None-Match": $0] } ?? [:]) { $1 }
            return try await hub.request("GET", Routes.qosDecisions, headers: headers).headers["etag"]
        }
        #expect(try await agreement(of: quick, on: hub) == nil)
        let first = try await poll(quick, nil)
        #expect(try await agreement(of: quick, on: hub) == nil)
        _ = try await poll(quick, first)
        _ = try await poll(slow, try await poll(slow, nil))
        #expect(try await agreement(of: quick, on: hub) == true)
        #expect(try await agreement(of: slow, on: hub) == true)
        try await hub.perform(.overrideService("order", state: "faulty", reason: "works", until: nil))
        #expect(try await agreement(of: quick, on: hub) == false)
        let second = try await poll(quick, first)
        #expect(try await agreement(of: quick, on: hub) == nil)
        _ = try await poll(quick, second)
        #expect(try await agreement(of: quick, on: hub) == true)
        #expect(try await agreement(of: slow, on: hub) == false)
        let generation = try #require(try await decision("order", of: slow, on: hub)?["generation"]?.integer)
        let report: JSONValue = ["services": [], "knownGeneration": ["order": .integer(generation)]]
        let answer = try await hub.request(
            "POST", Routes.qosReports, headers: slow.headers, body: report.canonicalText)
        #expect(answer.status == 200)
        #expect(try await agreement(of: slow, on: hub) == true)
        let headers = try await hub.operatorHeaders("viewer")
        let all = try await hub.request("GET", Routes.qosServices + "?scope=all", headers: headers).json()
        #expect(all["terminals"]?.array?.count == 2)
        #expect(try await hub.request("GET", Routes.qosServices, headers: headers).json()["terminals"] == nil)
    }

    @Test("The history has the newest change first, of all services or of one, up to a limit")
    func history() async throws {
        let hub = try await HubInProcess()
        func history(_ service: String?, _ limit: Int64 = 10) async throws -> [String] {
            try await hub.perform(.qosHistory(service: service, limit: limit))["history"]?.array?.map {
                "\($0["service"]?.string ?? "") \($0["state"]?.string ?? "")"
            } ?? []
        }
        #expect(try await history(nil) == [])
        try await hub.perform(.overrideService("order", state: "faulty", reason: "works", until: nil))
        try await hub.perform(.overrideService("member", state: "recovering", reason: "works", until: nil))
        try await hub.perform(.clearOverride("order"))
        #expect(try await history("order") == ["order healthy", "order faulty"])
        #expect(Set(try await history(nil)) == ["order healthy", "member recovering", "order faulty"])
        #expect(try await history(nil, 1).count == 1)
        #expect(try await hub.refusal(.qosHistory(service: "nothing", limit: 1)) == .notFound)
        #expect(try await hub.refusal(.qosHistory(service: nil, limit: 0)) != nil)
    }
}
