import Base
import HubProtocol
import TestKit
import Testing

@testable import HubServer

@Suite("Texts of terminals at the hub")
struct TextLimitTests {
    private static let long = String(repeating: "x", count: 200_000)

    /// The headers of somebody who looks at the pages.
    private static func pages(of hub: HubInProcess) async throws -> [String: String] {
        let headers = try await hub.operatorHeaders("manager", named: "vic")
        let token = (headers["Authorization"] ?? "").dropFirst("Bearer ".count)
        let response = try await hub.request("POST", "/login", body: "token=\(token)")
        return ["Cookie": String(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })]
    }

    /// A sale each of whose texts is long, or is hostile to what shows it.
    private func sale(_ text: String, by till: inout TillOverHTTP) -> Mutation {
        let text = JSONValue.string(text)
        let line: JSONValue = [
            "sku": text, "barcode": "1", "name": text, "quantityMilli": 1000, "unitPrice": 100, "discount": 0,
            "total": 100, "taxBasisPoints": 0,
        ]
        return till.minted(
            "order.completed", TillOverHTTP.ulid(),
            [
                "orderId": .string(TillOverHTTP.ulid()), "orderNumber": text, "cashierId": text,
                "currency": "CNY", "taxIncluded": true, "lines": [line], "total": 100, "tax": 0, "change": 0,
                "payments": [["method": text, "amount": 100]], "businessDay": "2026-11-21",
            ])
    }

    @Test(
        "A sale with long texts is kept and flagged, and no list, page or figure grows with them",
        arguments: HubStoreKind.all)
    func lists(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        for _ in 0..<12 {
            let mutation = sale(Self.long, by: &till)
            let result = try await till.push([mutation], on: hub).json()["results"]?.array?.first
            #expect(result?["outcome"] == "applied")
            #expect(result?["flags"]?.array?.contains("text_too_long") == true)
        }
        let headers = try await hub.operatorHeaders("integrator")
        var paths = [
            Routes.orders + "?limit=1000", Routes.flags + "?limit=1000", Routes.alarms, Routes.refusals,
            Routes.terminals, Routes.shifts, Routes.stock,
        ]
        paths += ["tender", "cashier", "product", "store"].map { Routes.sales + "?by=" + $0 }
        for path in paths {
            let response = try await hub.request("GET", path, headers: headers)
            #expect(response.status == 200, "\(path)")
            #expect(response.body.count < 64_000, "\(path): \(response.body.count)")
        }
        // The record itself is whole.
        let orders = try await hub.request("GET", Routes.orders, headers: headers).json()["orders"]?.array
        let id = try #require(orders?.first?["mutationId"]?.string)
        let order = try await hub.request("GET", "/v1/orders/" + id, headers: headers).json()
        #expect(order["lines"]?.array?.first?["name"]?.string?.utf8.count == Self.long.utf8.count)
        let session = try await Self.pages(of: hub)
        for path in ["/orders", "/orders/" + id, "/sales?day=2026-11-21", "/flags", "/metrics"] {
            let page = try await hub.request("GET", path, headers: session)
            #expect(page.status == 200, "\(path)")
            #expect(page.body.count < 128_000, "\(path): \(page.body.count)")
        }
    }

    @Test("What a screen acts on does not stand on a page or among the figures")
    func directions() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let mutation = sale("10\u{202E}99\u{2066}\u{9B}2J", by: &till)
        #expect(
            try await till.push([mutation], on: hub).json()["results"]?.array?.first?["outcome"] == "applied")
        let headers = try await Self.pages(of: hub)
        for path in ["/orders", "/orders/" + mutation.id, "/sales?day=2026-11-21", "/flags", "/metrics"] {
            let page = try await hub.request("GET", path, headers: headers).text
            #expect(path == "/metrics" || page.contains("10\u{FFFD}99"), "\(path)")
            #expect(
                page.unicodeScalars.allSatisfy { !$0.isUnprintable || $0 == "\n" || $0 == "\t" }, "\(path)")
        }
    }

    @Test("A request with a text that is too long is refused, with its place, before anything is done")
    func requests() async throws {
        let hub = try await HubInProcess { $0.payments = .simulator(.approve) }
        let till = try await hub.enrol()
        let body: JSONValue = [
            "orderId": .string(Self.long), "amount": ["amount": 100, "currency": "CNY"],
        ]
        let refused = try await hub.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"K1\""]) { $1 },
            body: body.canonicalText)
        #expect(refused.status == 400)
        #expect(refused.problemCode == "malformed_request")
        #expect(refused.text.contains("`orderId` has more than 128 bytes"))
        #expect(
            try await hub.request("GET", "\(Routes.authorizations)/K1", headers: till.headers).status == 404)
        // Before the signature is looked at, whose body is read as bytes.
        let enrolment: JSONValue = ["enrolmentCode": "x", "name": .string(Self.long), "publicKey": "x"]
        let unnamed = try await hub.request("POST", Routes.terminals, body: enrolment.canonicalText)
        #expect(unnamed.status == 400 && unnamed.text.contains("`name` has more than 256 bytes"))
    }
}
