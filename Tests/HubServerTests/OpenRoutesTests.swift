import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

/// Calls without a token: what one caller may cost the others.
@Suite("The hub's open routes")
struct OpenRoutesTests {
    @Test("Open calls of this machine share ten times an address's rate; one more is 429, health never")
    func sharedRate() async throws {
        let hub = try await HubInProcess { $0.limits.openRequestsPerAddressPerSecond = 1 }
        // Enrolling is a call, too.
        let till = try await hub.enrol()
        for _ in 0..<9 { #expect(try await hub.request("GET", Routes.ready).status == 200) }
        let code = #"{"enrolmentCode":"AAAAA-AAAAA","name":"n","publicKey":"AA=="}"#
        let refused = try await hub.request("POST", Routes.terminals, body: code)
        #expect(refused.status == 429)
        #expect(refused.problemCode == "rate_limited")
        #expect(refused.headers["retry-after"] == "1")
        for _ in 0..<50 { #expect(try await hub.request("GET", Routes.health).status == 200) }
        // A valid token counts by its terminal.
        for _ in 0..<30 {
            #expect(try await till.get(Routes.ready, on: hub).status == 200)
            #expect(try await till.get(Routes.changes, on: hub).status == 200)
        }
        hub.clock.advance(by: .milliseconds(100))
        #expect(try await hub.request("GET", Routes.ready).status == 200)
        #expect(try await hub.request("GET", Routes.ready).status == 429)
    }

    @Test("Uploads count as calls of their terminal")
    func uploadRate() async throws {
        let hub = try await HubInProcess { $0.limits.requestsPerMinute = 60 }
        let till = try await hub.enrol()
        let id = TillOverHTTP.ulid()
        let info: JSONValue = [
            "id": .string(id), "sha256": .string(String(repeating: "0", count: 64)), "size": 1_000,
            "contentType": "image/png", "urgent": false,
        ]
        let opened = try await hub.request(
            "POST", Routes.attachments, headers: till.headers, body: info.canonicalText)
        let url = try #require(try opened.json()["uploadUrl"]?.string)
        let path = try #require(url.firstRange(of: "/v1/").map { String(url[$0.lowerBound...]) })
        // Announcing was a call.
        for number in 0..<60 {
            let response = try await hub.request("PUT", path, headers: ["Content-Range": "bytes */1000"])
            #expect(response.status == (number < 59 ? 308 : 429))
        }
    }
}
