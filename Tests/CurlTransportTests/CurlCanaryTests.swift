import CurlTransport
import HubProtocol
import OfflineCore
import TestKit
import Testing

@Suite("Curl canary", .timeLimit(.minutes(2)))
struct CurlCanaryTests {
    private static let emptyResponse = #"{"results":[],"acknowledgedThrough":3,"missing":[]}"#

    @Test("the canary of order is an empty batch of the journal's epoch")
    func order() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/mutations/batch", .json(200, Self.emptyResponse))
        let canary = CurlCanary(client: bench.client, epoch: { 4 })
        #expect(await canary.call(service: "order", timeout: .seconds(2)))
        let body = try JSONParser.parse(try #require(bench.server.requests.first).body)
        #expect(body == ["epoch": 4, "mutations": []])
    }

    @Test(
        "a fault, a page, a malformed response and silence fail the canary",
        arguments: [
            ScriptedResponse.problem(503, code: "store_unavailable"), .loginPage, .json(200, "{}"), .stall,
            .reset,
            .problem(401, code: "terminal_revoked"),
        ])
    func bad(response: ScriptedResponse) async throws {
        let bench = try HubBench()
        bench.server.on("/v1/mutations/batch", response)
        bench.server.on("/v1/products/canary", response)
        let canary = CurlCanary(client: bench.client, epoch: { 1 })
        #expect(!(await canary.call(service: "order", timeout: .milliseconds(300))))
        let isGET = await canary.call(service: "product", timeout: .milliseconds(300))
        // Any JSON of the product service is a response; only `order` has a required shape.
        if case .some = response.jsonBody { #expect(isGET) } else { #expect(!isGET) }
    }

    @Test(
        "services without a GET get a request that changes nothing, and their problem document is a good response"
    )
    func queries() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/sessions", .problem(422, code: "pin_refused"))
        bench.server.on("/v1/members/canary", .problem(404, code: "not_found"))
        bench.server.on("/v1/promotions/evaluate", .json(200, #"{"discount":0,"lines":[],"coupons":[]}"#))
        let canary = CurlCanary(client: bench.client, epoch: { 1 })
        for service in ["account", "member", "marketing"] {
            #expect(await canary.call(service: service, timeout: .seconds(2)), "\(service)")
        }
        bench.server.on("/v1/sessions", .problem(503, code: "store_unavailable"))
        #expect(!(await canary.call(service: "account", timeout: .seconds(2))))
        let named = bench.log.finished.map { "\($0.api.method) \($0.api.template)" }
        #expect(
            named.prefix(3) == ["POST /v1/sessions", "GET /v1/members/{id}", "POST /v1/promotions/evaluate"])
        for service in CoreAPIs.standard.allServices where service != "order" {
            bench.server.on("/v1/products/canary", .problem(404, code: "not_found"))
            bench.server.on("/v1/sessions", .problem(422, code: "pin_locked"))
            bench.server.on(
                "/v1/payments/authorizations/00000000000000000000000000", .problem(404, code: "not_found"))
            #expect(await canary.call(service: service, timeout: .seconds(2)), "\(service) has no canary")
        }
    }

    @Test("another service gets its GET, and a not-found is a good response")
    func others() async throws {
        let bench = try HubBench()
        bench.server.on("/v1/products/canary", .problem(404, code: "not_found"))
        let canary = CurlCanary(client: bench.client, epoch: { 1 })
        #expect(await canary.call(service: "product", timeout: .seconds(2)))
        #expect(!(await canary.call(service: "unheard-of", timeout: .seconds(2))))
        #expect(bench.log.finished.map(\.api.template) == ["/v1/products/{barcode}"])
    }
}

extension ScriptedResponse {
    /// The body, where the response is a JSON success.
    fileprivate var jsonBody: String? {
        guard case .send(let bytes)? = steps.first else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200") && text.contains("application/json") ? text : nil
    }
}
