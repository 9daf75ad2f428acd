import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub plays a silent payment service", .onStage)
struct HubPaymentTests {
    @Test("A payment that the hub does not respond to is decided all the same")
    func silent() throws {
        let hub = try HubUnderTest(["--payments", "simulator:silent"])
        let till = try hub.enrol()
        let headers = till.headers.merging([HeaderNames.idempotencyKey: "\"K1\""]) { $1 }
        let body = #"{"orderId":"o1","amount":{"amount":500,"currency":"CNY"}}"#
        let impatient = try hub.client(timeout: 1)
        #expect(throws: LoopbackError.timedOut) {
            try impatient.request("POST", Routes.authorizations, headers: headers, body: body)
        }
        let query = try hub.client().request("GET", "\(Routes.authorizations)/K1", headers: till.headers)
        #expect(try query.json()["state"] == "authorized")
    }
}
