import Base
import Foundation
import HubCore
import HubProtocol
import HubServer
import TestKit
import Testing

/// How a hub parts with an old schema (http.md section 1).
@Suite("Schemas that end, at the hub")
struct SchemaRoutesTests {
    @Test("A deprecated schema is served as usual, refusals too, with Deprecation and Sunset")
    func announced() async throws {
        let dates = ["2026-01-01T00:00:00Z", "2090-02-01T00:00:00Z"].compactMap(Timestamp.milliseconds(of:))
        let hub = try await HubInProcess {
            $0.schemas.retiring = [1: SchemaSupport.Retirement(deprecatedAt: dates[0], sunsetAt: dates[1])]
        }
        let till = try await hub.enrol()
        let refusedPath = "/v1/products/nothing"
        for (path, status) in [(Routes.changes, 200), (refusedPath, 404), (Routes.qosDecisions, 200)] {
            let response = try await till.get(path, on: hub)
            #expect(response.status == status)
            #expect(response.headers["deprecation"] == "@1767225600")
            #expect(response.headers["sunset"] == "Wed, 01 Feb 2090 00:00:00 GMT")
        }
        let newer = till.headers.merging([HeaderNames.schema: "2"]) { $1 }
        #expect(try await hub.request("GET", Routes.changes, headers: newer).headers["sunset"] == nil)
        #expect(try await hub.request("GET", Routes.health).headers["sunset"] == nil)
    }

    @Test("Below the minimum: 426 after the token was looked at, and an enrolment code is not used up")
    func gate() async throws {
        let hub = try await HubInProcess { $0.schemas.minimum = 2 }
        let till = try await hub.enrol()
        let refused = try await till.get(Routes.changes, on: hub)
        #expect(refused.status == 426)
        #expect(refused.problemCode == "upgrade_required")
        #expect(try refused.json()["minimumSchema"] == 2)
        #expect(refused.headers["upgrade"] == "pos-schema/2")
        let stranger = till.headers.merging(["Authorization": "Bearer x"]) { $1 }
        #expect(try await hub.request("GET", Routes.changes, headers: stranger).status == 401)
        let code = try await hub.enrolmentCode()
        func enrol(_ schema: String) async throws -> Int {
            try await hub.enrol(code: code, headers: [HeaderNames.schema: schema]).status
        }
        #expect(try await enrol("1") == 426)
        #expect(try await enrol("2") == 201)
    }
}
