import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

/// Each limit of the contract at its edge and one past it (http.md section 1).
@Suite("The hub's limits")
struct LimitsTests {
    /// A batch without mutations that is `count` bytes long.
    private func body(of count: Int) -> String {
        let empty = #"{"mutations":[]}"#
        return String(repeating: " ", count: count - empty.utf8.count) + empty
    }

    @Test("A body of 1 MiB is read, one byte more is 413")
    func bodySize() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        func post(_ body: String) async throws -> LoopbackResponse {
            try await hub.request("POST", Routes.mutationBatch, headers: till.headers, body: body)
        }
        #expect(try await post(body(of: 1 << 20)).status == 200)
        let tooLarge = try await post(body(of: 1 << 20 + 1))
        #expect(tooLarge.status == 413)
        #expect(tooLarge.problemCode == "body_too_large")
    }

    @Test("64 levels are read, 65 are 400")
    func depth() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        for (levels, status) in [(64, 200), (65, 400)] {
            // The body is one level, the telemetry's objects are the others.
            let nested = String(repeating: #"{"a":"#, count: levels - 1) + "1"
            let body = #"{"mutations":[],"telemetry":"# + nested + String(repeating: "}", count: levels)
            let response = try await hub.request(
                "POST", Routes.mutationBatch, headers: till.headers, body: body)
            #expect(response.status == status, "\(levels)")
        }
    }

    @Test("200 mutations are accepted; 201 are 413 and none of them is")
    func batchSize() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let many = (0..<201).map { _ in till.sale() }
        let refused = try await till.push(many, on: hub)
        #expect(refused.status == 413)
        #expect(refused.problemCode == "too_many_mutations")
        #expect(try await hub.audit()["received"] == 0)
        let response = try await till.push(Array(many.prefix(200)), on: hub)
        #expect(try response.json()["acknowledgedThrough"] == 200)
    }

    @Test("A batch with one mutation that cannot be read is refused as a whole")
    func nothingHalf() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let sales = (0..<5).map { _ in till.sale() }
        let broken = sales.map(\.json) + [["id": "no ULID", "sequence": 6]]
        let body: JSONValue = ["mutations": .array(broken), "epoch": 1, "lowSequence": 1]
        let refused = try await hub.request(
            "POST", Routes.mutationBatch, headers: till.headers, body: body.canonicalText)
        #expect(refused.problemCode == "malformed_request")
        #expect(try await till.push([], on: hub).json()["acknowledgedThrough"] == 0)
        #expect(try await till.push(sales, on: hub).json()["acknowledgedThrough"] == 5)
    }

    @Test("A terminal's rate is one minute's worth at once; past it 429 has the time to wait")
    func rate() async throws {
        let hub = try await HubInProcess { $0.limits.requestsPerMinute = 60 }
        var till = try await hub.enrol()
        let other = try await hub.enrol()
        let sale = till.sale()
        for _ in 0..<60 { #expect(try await till.get(Routes.changes, on: hub).status == 200) }
        let refused = try await till.push(sale, on: hub)
        #expect(refused.status == 429)
        #expect(refused.problemCode == "rate_limited")
        #expect(refused.headers["retry-after"] == "1")
        #expect(try await other.get(Routes.changes, on: hub).status == 200)
        #expect(try await hub.request("GET", Routes.health).status == 200)
        hub.clock.advance(by: .milliseconds(999))
        #expect(try await till.push(sale, on: hub).status == 429)
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await till.push(sale, on: hub).status == 201)
    }

    @Test("A value of a peer that is out of range is clamped; what is no number is refused")
    func clamped() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        for limit in ["0", "-7", "1001", "99999999999999999999"] {
            let response = try await hub.request(
                "GET", "\(Routes.changes)?limit=\(limit)", headers: till.headers)
            #expect(response.status == 200, "\(limit)")
        }
        #expect(
            try await hub.request("GET", "\(Routes.changes)?limit=ten", headers: till.headers).status == 400)
        let headers = [HeaderNames.epoch: "0", HeaderNames.lowSequence: "-3"]
        #expect(try await till.push(till.sale(), on: hub, headers: headers).status == 201)
        let counts = #"{"services":[{"service":"order","ok":-5,"failed":{"timeout":99999999999}}]}"#
        #expect(
            try await hub.request("POST", Routes.qosReports, headers: till.headers, body: counts).status
                == 200)
    }
}
