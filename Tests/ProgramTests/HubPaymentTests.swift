import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub plays the payment service", .onStage, .serialized)
struct HubPaymentTests {
    private func authorize(
        _ key: String, amount: Int64 = 500, by till: TillOverHTTP, on client: LoopbackClient
    ) throws -> LoopbackAnswer {
        let body: JSONValue = ["orderId": "o1", "amount": ["amount": .integer(amount), "currency": "CNY"]]
        return try client.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"\(key)\""]) { $1 },
            body: body.canonicalText)
    }

    private func post(_ key: String, _ act: String, _ till: TillOverHTTP, _ client: LoopbackClient) throws
        -> LoopbackAnswer
    {
        try client.request(
            "POST", "\(Routes.authorizations)/\(key)/\(act)", headers: till.headers, body: "{}")
    }

    @Test("Approved once per key, captured, voided; a key voided ahead voids the late authorisation")
    func approve() throws {
        let hub = try HubUnderTest(["--payments", "simulator"])
        let till = try hub.enrol()
        let client = try hub.client()
        let first = try authorize("K1", by: till, on: client)
        #expect(first.status == 201)
        #expect(try PaymentAuthorization(json: first.json()).state == .authorized)
        let again = try authorize("K1", by: till, on: client)
        #expect(again.status == 200)
        #expect(again.headers["idempotent-replayed"] == "true")
        #expect(again.body == first.body)
        #expect(try first.json()["simulated"] == true)
        #expect(
            try authorize("K1", amount: 501, by: till, on: client).problemCode == "idempotency_key_reused")
        #expect(try post("K1", "capture", till, client).json()["state"] == "captured")
        #expect(try post("K1", "void", till, client).json()["state"] == "voided")
        #expect(try post("K1", "capture", till, client).status == 409)
        #expect(try post("K2", "void", till, client).json()["state"] == "voided")
        #expect(try authorize("K2", by: till, on: client).json()["state"] == "voided")
        let unknown = try client.request("GET", "\(Routes.authorizations)/K9", headers: till.headers)
        #expect(unknown.status == 404)
    }

    @Test("Without a payment service every card is declined with the reason, and nothing is kept")
    func none() throws {
        let hub = try HubUnderTest()
        let till = try hub.enrol()
        let client = try hub.client()
        let refused = try authorize("K1", by: till, on: client)
        #expect(refused.status == 409)
        #expect(refused.problemCode == "payment_declined")
        let shown = try client.request("GET", "\(Routes.authorizations)/K1", headers: till.headers)
        #expect(shown.problemCode == "payment_declined")
    }

    @Test("It declines, fails or does not respond as configured; a silent payment is decided all the same")
    func behaviours() throws {
        let declining = try HubUnderTest(["--payments", "simulator:decline"])
        var till = try declining.enrol()
        #expect(
            try authorize("K1", by: till, on: try declining.client()).json()["state"] == "declined")
        let failing = try HubUnderTest(["--payments", "simulator:unavailable"])
        till = try failing.enrol()
        #expect(try authorize("K1", by: till, on: try failing.client()).status == 503)
        let silent = try HubUnderTest(["--payments", "simulator:silent"])
        till = try silent.enrol()
        let impatient = try silent.client(timeout: 1)
        #expect(throws: LoopbackError.timedOut) { try authorize("K1", by: till, on: impatient) }
        let query = try silent.client().request("GET", "\(Routes.authorizations)/K1", headers: till.headers)
        #expect(try query.json()["state"] == "authorized")
    }
}
