import Base
import CurlTransport
import HubProtocol
import OfflineCore
import OfflineMode
import TestKit
import Testing

@Suite("Curl QoS consultant", .timeLimit(.minutes(2)))
struct CurlQoSConsultantTests {
    private static func response(_ decisions: String, issuer: String = #""issuer":"Q1","#) -> String {
        #"{"decisions":[\#(decisions)],\#(issuer)"issuedAt":"2026-11-21T04:00:00.000Z"}"#
    }

    private static let faulty =
        #"{"service":"order","state":"faulty","scope":"store","generation":7,"since":"x","reason":"5xx","#
        + #""source":"reports","expiresAt":"2026-11-21T04:01:30.000Z","pollAfterMs":5000,"#
        + #""resume":{"afterMs":2000,"ratePerMinute":60}}"#

    private static let decision = ServiceDecision(
        service: "order", state: .faulty, scope: .store, generation: 7, reason: "5xx", source: .reports,
        validity: .seconds(90), pollAfter: .seconds(5),
        resume: ResumePace(after: .seconds(2), ratePerMinute: 60))

    private static let nonce = ["Pos-Nonce": "n1"]
    private static let tagged = ["Pos-Nonce": "n1", "ETag": "\"a1\""]

    private static func consultant(_ bench: HubBench) -> CurlQoSConsultant {
        CurlQoSConsultant(client: bench.client, makeNonce: { "n1" })
    }

    @Test("decisions are read with their validity counted between the hub's own times")
    func decisions() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/qos/decisions", .json(200, Self.response(Self.faulty), headers: Self.nonce))
        let response = await Self.consultant(bench)
            .decisions(for: ["order", "payment"], timeout: .seconds(3))
        #expect(response == QoSResponse(issuer: "Q1", decisions: [Self.decision]))
        #expect(bench.server.requests.first?.path == "/v1/qos/decisions?services=order,payment")
    }

    @Test("a good response over the path to the hub is evidence about that path, one from elsewhere is not")
    func evidence() async throws {
        let hub = try HubBench()
        let elsewhere = try HubBench(qos: hub.server.url)
        hub.server.on(
            "/v1/qos/decisions", .json(200, Self.response(Self.faulty), headers: Self.tagged),
            .whole(304, type: nil, headers: Self.tagged, body: ""))
        hub.server.on("/v1/qos/reports", .json(200, Self.response(Self.faulty), headers: Self.nonce))
        for bench in [hub, elsewhere] {
            let consultant = Self.consultant(bench)
            for _ in 0..<2 { _ = await consultant.decisions(for: ["order"], timeout: .seconds(3)) }
            _ = await consultant.report(report, timeout: .seconds(3))
        }
        #expect(hub.outcomes == [.success, .success, .success])
        #expect(elsewhere.outcomes.isEmpty)
    }

    @Test("a 304 returns the last response again; another request has an ETag of its own")
    func notModified() async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/qos/decisions", .json(200, Self.response(Self.faulty), headers: Self.tagged),
            .whole(304, type: nil, headers: Self.tagged, body: ""),
            .json(200, Self.response(""), headers: Self.nonce))
        let consultant = Self.consultant(bench)
        let first = await consultant.decisions(for: ["order"], timeout: .seconds(3))
        #expect(await consultant.decisions(for: ["order"], timeout: .seconds(3)) == first)
        _ = await consultant.decisions(for: ["payment"], timeout: .seconds(3))
        #expect(bench.server.requests.map { $0.headers["if-none-match"] } == [nil, "\"a1\"", nil])
    }

    @Test(
        "a response without the request's own nonce decides nothing and is no evidence",
        arguments: [[:], ["Pos-Nonce": "n0"]])
    func foreignNonce(headers: [String: String]) async throws {
        let bench = try HubBench()
        let stale = headers.merging(["ETag": "\"a1\""]) { $1 }
        bench.server.on(
            "/v1/qos/decisions", .json(200, Self.response(Self.faulty), headers: stale),
            .json(200, Self.response(Self.faulty), headers: Self.tagged),
            .whole(304, type: nil, headers: stale, body: ""))
        bench.server.on("/v1/qos/reports", .json(200, Self.response(Self.faulty), headers: headers))
        let consultant = Self.consultant(bench)
        let first = await consultant.decisions(for: ["order"], timeout: .seconds(3))
        let second = await consultant.decisions(for: ["order"], timeout: .seconds(3))
        let third = await consultant.decisions(for: ["order"], timeout: .seconds(3))
        #expect(first == nil && second != nil && third == nil)
        #expect(await consultant.report(report, timeout: .seconds(3)) == nil)
        #expect(bench.outcomes == [.success])
        #expect(bench.server.requests.allSatisfy { $0.headers["pos-nonce"] == "n1" })
    }

    @Test("a 304 to a request without an ETag is no response")
    func foreignNotModified() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/qos/decisions", .whole(304, type: nil, headers: Self.nonce, body: ""))
        let consultant = Self.consultant(bench)
        #expect(await consultant.decisions(for: ["order"], timeout: .seconds(3)) == nil)
    }

    @Test("values out of range are clamped, and a decision with unknown values is left out")
    func clamping() async throws {
        let bench = try HubBench()
        let odd = Self.faulty.replacing("5000", with: "999999999").replacing("04:01:30", with: "03:00:00")
        let unknown = Self.faulty.replacing("faulty", with: "haunted")
        let bare = #"{"service":"pay","state":"healthy","scope":"global","generation":0,"source":"operator"}"#
        bench.server.on(
            "/v1/qos/decisions",
            .json(200, Self.response("\(unknown),\(odd),\(bare),3", issuer: ""), headers: Self.nonce))
        let response = await Self.consultant(bench).decisions(for: [], timeout: .seconds(3))
        #expect(response?.issuer == nil)
        let decisions = try #require(response?.decisions)
        #expect(decisions.map(\.service) == ["order", "pay"])
        #expect(decisions[0].pollAfter == .seconds(300))
        #expect(decisions[0].validity == .zero)
        #expect(decisions[1].resume == nil)
        #expect(decisions[1].pollAfter == .seconds(30))
    }

    @Test(
        "a page, garbage, a fault and silence are no decisions",
        arguments: [
            ScriptedResponse.loginPage, .json(200, "{}", headers: nonce),
            .json(200, #"{"decisions":{}}"#, headers: nonce),
            .json(200, #"{"decisions":[]}"#, headers: nonce),
            .json(503, "{}"), .reset, .stall,
        ])
    func noResponse(response: ScriptedResponse) async throws {
        let bench = try HubBench()
        bench.server.on("/v1/qos/decisions", response)
        bench.server.on("/v1/qos/reports", response)
        let consultant = Self.consultant(bench)
        #expect(await consultant.decisions(for: ["order"], timeout: .milliseconds(300)) == nil)
        #expect(await consultant.report(report, timeout: .milliseconds(300)) == nil)
        #expect(bench.outcomes.allSatisfy { [.network(.silent), .network(.reset)].contains($0) })
    }

    @Test(
        "silence over the path to the hub is evidence about it, silence from elsewhere and a fault are none")
    func silence() async throws {
        let hub = try HubBench()
        let elsewhere = try HubBench(qos: hub.server.url)
        hub.server.on("/v1/qos/decisions", .stall, .stall, .json(503, "{}"), .json(503, "{}"))
        hub.server.on("/v1/qos/reports", .reset, .reset)
        for bench in [hub, elsewhere] {
            let consultant = Self.consultant(bench)
            _ = await consultant.decisions(for: ["order"], timeout: .milliseconds(300))
            _ = await consultant.report(report, timeout: .milliseconds(300))
        }
        for bench in [hub, elsewhere] {
            _ = await Self.consultant(bench)
                .decisions(for: ["order"], timeout: .seconds(3))
        }
        #expect(hub.outcomes == [.network(.silent), .network(.reset)])
        #expect(elsewhere.outcomes.isEmpty)
    }

    @Test("a report has counts and known generations, and its window in wall-clock time")
    func reporting() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/qos/reports", .json(200, Self.response(Self.faulty), headers: Self.nonce))
        let response = await Self.consultant(bench).report(report, timeout: .seconds(3))
        #expect(response?.decisions == [Self.decision])
        let body = try JSONParser.parse(try #require(bench.server.requests.first).body)
        let counts = try #require(body["services"]?.array?.first)
        #expect(counts["service"] == "order")
        #expect(counts["ok"] == 18)
        #expect(counts["failed"] == ["timeout": 3, "http5xx": 2, "connect": 0, "tls": 0, "dns": 1])
        #expect(body["knownGeneration"] == ["order": 7])
        let (start, end) = (body["windowStart"]?.string, body["windowEnd"]?.string)
        let span =
            try #require(end.flatMap(Timestamp.milliseconds(of:)))
            - (try #require(start.flatMap(Timestamp.milliseconds(of:))))
        #expect((4990...5010).contains(span))
    }

    private var report: QoSReport {
        let now = monotonicNow()
        return QoSReport(
            windowStart: now - .seconds(5), windowEnd: now,
            services: [ServiceCounts(service: "order", ok: 18, timeout: 3, http5xx: 2, dns: 1)],
            knownGeneration: ["order": 7])
    }
}

extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
