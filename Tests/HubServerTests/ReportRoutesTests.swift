import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

/// What terminals report beside their sales.
@Suite("The hub reads telemetry and signed heads")
struct ReportRoutesTests {
    @Test("Unknown telemetry never fails a batch; alone it is refused only when it is no object")
    func odd() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        for telemetry in ["[]", "7", "{\"outbox\":[],\"appVersion\":{}}", "{\"sync\":{\"attempts\":-1e300}}"]
        {
            let sale = till.sale()
            let body =
                "{\"epoch\":1,\"mutations\":[\(sale.json.canonicalText)],\"telemetry\":\(telemetry)}"
            let response = try await hub.request(
                "POST", Routes.mutationBatch, headers: till.headers, body: body)
            #expect(response.status == 200)
            #expect(try response.json()["results"]?.array?.first?["outcome"] == "applied")
        }
        func alone(_ body: String) async throws -> Int {
            try await hub.request("POST", Routes.telemetry, headers: till.headers, body: body).status
        }
        #expect(try await alone("{\"unknown\":{\"a\":[1]}}") == 204)
        // The later report counts.
        hub.clock.advance(by: .seconds(1))
        #expect(
            try await alone("{\"appVersion\":\"9\",\"outbox\":{\"pending\":4,\"oldestAgeMs\":1000}}") == 204)
        #expect(try await alone("[]") == 400)
        let sight = try #require(try await hub.perform(.listTerminals)["terminals"]?.array?.first)
        #expect(sight["appVersion"] == "9")
        #expect(sight["outbox"]?["oldestAgeMs"] == 1000)
        #expect(sight["versions"]?.array?.count == 2)
    }

    @Test("A head with a wrong signature changes no response; the sale is accepted")
    func badSignature() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let head = try #require(
            SignedHead(
                terminalId: till.grant.terminalId, epoch: 1, sequence: 1,
                hash: String(repeating: "a", count: 64), orderCounter: 1, at: 1_763_700_000_000
            ) { _ in Data(repeating: 1, count: 64).base64EncodedString() })
        for value in [head.headerText, "", "%%%", String(repeating: "A", count: 3_000)] {
            let response = try await till.push(
                till.sale(), on: hub, headers: [HeaderNames.head: value])
            #expect(response.status == 201)
        }
        let sale = till.sale()
        let body = MutationBatch(mutations: [sale], epoch: 1, lowSequence: 1).json.with(head)
        let batch = try await hub.request(
            "POST", Routes.mutationBatch, headers: till.headers, body: body.canonicalText)
        #expect(batch.status == 200)
        #expect(try batch.json()["acknowledgedThrough"] == 5)
        let telemetry: JSONValue = ["appVersion": "1", "head": ["epoch": "x"]]
        #expect(
            try await hub.request(
                "POST", Routes.telemetry, headers: till.headers, body: telemetry.canonicalText
            ).status == 204)
        let audit = try await hub.audit()
        #expect(audit["head"] == "unsigned")
        #expect(audit["received"] == 5)
    }
}
