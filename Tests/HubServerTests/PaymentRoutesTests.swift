import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The hub plays the payment service")
struct PaymentRoutesTests {
    private func authorize(
        _ key: String, amount: Int64 = 500, by till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> LoopbackResponse {
        let body: JSONValue = ["orderId": "o1", "amount": ["amount": .integer(amount), "currency": "CNY"]]
        return try await hub.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"\(key)\""]) { $1 },
            body: body.canonicalText)
    }

    private func post(_ key: String, _ act: String, _ till: TillOverHTTP, _ hub: HubInProcess) async throws
        -> LoopbackResponse
    {
        try await hub.request(
            "POST", "\(Routes.authorizations)/\(key)/\(act)", headers: till.headers, body: "{}")
    }

    @Test("Approved once per key, captured, voided; a key voided ahead voids the late authorisation")
    func approve() async throws {
        let hub = try await HubInProcess { $0.payments = .simulator(.approve) }
        let till = try await hub.enrol()
        let first = try await authorize("K1", by: till, on: hub)
        #expect(first.status == 201)
        #expect(try PaymentAuthorization(json: first.json()).state == .authorized)
        let again = try await authorize("K1", by: till, on: hub)
        #expect(again.status == 200)
        #expect(again.headers["idempotent-replayed"] == "true")
        #expect(again.body == first.body)
        #expect(try first.json()["simulated"] == true)
        #expect(
            try await authorize("K1", amount: 501, by: till, on: hub).problemCode == "idempotency_key_reused")
        #expect(try await post("K1", "capture", till, hub).json()["state"] == "captured")
        #expect(try await post("K1", "void", till, hub).json()["state"] == "voided")
        #expect(try await post("K1", "capture", till, hub).status == 409)
        #expect(try await post("K2", "void", till, hub).json()["state"] == "voided")
        #expect(try await authorize("K2", by: till, on: hub).json()["state"] == "voided")
        let unknown = try await hub.request("GET", "\(Routes.authorizations)/K9", headers: till.headers)
        #expect(unknown.status == 404)
    }

    @Test("Without a payment service every card is declined with the reason, and nothing is kept")
    func none() async throws {
        let hub = try await HubInProcess()
        let till = try await hub.enrol()
        let refused = try await authorize("K1", by: till, on: hub)
        #expect(refused.status == 409)
        #expect(refused.problemCode == "payment_declined")
        let shown = try await hub.request("GET", "\(Routes.authorizations)/K1", headers: till.headers)
        #expect(shown.problemCode == "payment_declined")
    }

    @Test("It declines or is not available as configured")
    func behaviours() async throws {
        let declining = try await HubInProcess { $0.payments = .simulator(.decline) }
        var till = try await declining.enrol()
        #expect(try await authorize("K1", by: till, on: declining).json()["state"] == "declined")
        let failing = try await HubInProcess { $0.payments = .simulator(.unavailable) }
        till = try await failing.enrol()
        #expect(try await authorize("K1", by: till, on: failing).status == 503)
    }
}
