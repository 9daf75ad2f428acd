import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The hub's routes")
struct RouteTests {
    private let hub: HubInProcess

    init() async throws {
        hub = try await HubInProcess()
    }

    @Test("Health echoes the nonce and is never cached; readiness reports the store")
    func health() async throws {
        let response = try await hub.request("GET", "/healthz?nonce=a%20b")
        #expect(response.status == 200)
        #expect(try response.json() == ["status": "ok", "nonce": "a b"])
        #expect(response.headers["cache-control"] == "no-store")
        let head = try await hub.request("HEAD", Routes.health)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(try await hub.request("GET", Routes.ready).status == 200)
    }

    @Test("Unknown paths, wrong methods and missing tokens are problems of the contract")
    func problems() async throws {
        #expect(try await hub.request("GET", "/v2/nothing").problemCode == "not_found")
        let wrong = try await hub.request("DELETE", Routes.mutation)
        #expect(wrong.status == 405)
        #expect(wrong.headers["allow"] == "POST")
        #expect(wrong.problemCode == "method_not_allowed")
        #expect(try await hub.request("GET", Routes.changes).problemCode == "token_invalid")
        let forged = ["Authorization": "Bearer pos2.T.S.1.AAAA.99999999999999.token-1.AAAA"]
        #expect(try await hub.request("GET", Routes.changes, headers: forged).problemCode == "token_invalid")
        #expect(try await hub.request("GET", Routes.qosServices).problemCode == "operator_required")
    }

    @Test("A schema below the minimum is refused with the upgrade that it needs")
    func schemaGate() async throws {
        let till = try await hub.enrol()
        let headers = till.headers.merging([HeaderNames.schema: "0"]) { $1 }
        let response = try await hub.request("GET", Routes.changes, headers: headers)
        #expect(response.status == 426)
        #expect(response.problemCode == "upgrade_required")
    }

    @Test("What is no JSON, too deep, doubled, too large or too many is refused completely")
    func limits() async throws {
        var till = try await hub.enrol()
        func refusal(_ body: String, on route: String = Routes.mutationBatch) async throws -> String? {
            try await hub.request("POST", route, headers: till.headers, body: body).problemCode
        }
        #expect(try await refusal("{") == "malformed_request")
        #expect(try await refusal(#"{"mutations":[],"mutations":[]}"#) == "malformed_request")
        #expect(try await refusal(String(repeating: "[", count: 65)) == "malformed_request")
        #expect(try await refusal(#"{"mutations":[{"id":"x"}]}"#) == "malformed_request")
        #expect(try await refusal(String(repeating: " ", count: 1 << 20) + "{}") == "body_too_large")
        let many = (0..<201).map { _ in till.sale() }
        #expect(try await till.push(many, on: hub).problemCode == "too_many_mutations")
        #expect(try await till.push([], on: hub).json()["acknowledgedThrough"] == 0)
    }

    @Test("A code enrols once, and a revoked till is refused")
    func enrolment() async throws {
        let till = try await hub.enrol()
        #expect(till.grant.terminalNumber == 1)
        #expect(try await hub.enrol(code: "AAAAA-AAAAA").problemCode == "enrolment_refused")
        #expect(try await hub.request("GET", Routes.changes, headers: till.headers).status == 200)
        try await hub.perform(.revokeTerminal(id: till.grant.terminalId))
        #expect(
            try await hub.request("GET", Routes.changes, headers: till.headers).problemCode
                == "terminal_revoked"
        )
    }

    @Test("The operators' page is shown to operators alone, on loopback too, and has no script inside")
    func page() async throws {
        _ = try await hub.enrol()
        let foreign = try await hub.request("GET", "/")
        #expect(foreign.status == 303)
        #expect(foreign.headers["location"] == "/login")
        #expect(try await hub.request("GET", "/metrics").problemCode == "operator_required")
        let headers = try await hub.operatorHeaders()
        let response = try await hub.request("GET", "/", headers: headers)
        #expect(response.status == 200)
        #expect(response.text.contains("order"))
        #expect(response.headers["content-security-policy"]?.contains("'unsafe-inline'") == false)
        #expect(!response.text.contains("<script>"))
        #expect(
            try await hub.request("GET", "/metrics", headers: headers).text.contains(
                "holdfast_service_state{service=\"order\",scope=\"global\"} 0"))
    }
}
