import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

@Suite("Receipts at the hub")
struct ReceiptRoutesTests {
    private let key = Curve25519.Signing.PrivateKey()

    private func enrolled(_ hub: HubInProcess, store: String = "S1") async throws -> TillOverHTTP {
        TillOverHTTP(try await hub.enrolSigning(store: store, key: key).grant)
    }

    private func keys(
        _ hub: HubInProcess, _ till: TillOverHTTP, schema: Int64 = Schema.current
    ) async throws -> [String: JSONValue] {
        var headers = till.headers
        headers[HeaderNames.schema] = String(schema)
        let response = try await hub.request("GET", Routes.changes, headers: headers)
        let page = try ChangePage(json: response.json())
        return Dictionary(
            page.changes.filter { $0.entity == "terminalKey" }.map { ($0.entityId, $0.value ?? .null) },
            uniquingKeysWith: { $1 })
    }

    @Test("Terminals of a store get each other's keys from schema 3 on, and lose those of revoked ones")
    func published() async throws {
        let hub = try await HubInProcess()
        let (till, other) = (try await enrolled(hub), try await hub.enrol())
        let foreign = try await hub.enrol(store: "S9")
        let seen = try await keys(hub, other)
        #expect(Set(seen.keys) == [till.grant.terminalId, other.grant.terminalId])
        #expect(
            seen[till.grant.terminalId]?["publicKey"]?.string
                == key.publicKey.rawRepresentation.base64EncodedString())
        #expect(try await Set(keys(hub, foreign).keys) == [foreign.grant.terminalId])
        #expect(try await keys(hub, other, schema: 2).isEmpty)
        _ = try await hub.perform(.revokeTerminal(id: till.grant.terminalId))
        #expect(try await keys(hub, other)[till.grant.terminalId] == .null)
        // What agrees already is not published a second time.
        func changes() async throws -> JSONValue? {
            try await hub.request("GET", Routes.changes, headers: other.headers).json()["changes"]
        }
        let before = try await changes()
        _ = try await hub.perform(.revokeTerminal(id: till.grant.terminalId))
        #expect(try await changes() == before)
    }

    @Test("A signed code finds its sale for any terminal; what is not signed or not there is refused")
    func found() async throws {
        let hub = try await HubInProcess()
        let till = try await enrolled(hub)
        let foreign = try await hub.enrol(store: "S9")
        func code(_ number: String, by key: Curve25519.Signing.PrivateKey) throws -> String {
            try #require(
                ReceiptCode(
                    terminalId: till.grant.terminalId, orderNumber: number, soldAt: 1, currency: "CNY",
                    total: 1250,
                    lines: []
                ) { try? key.signature(for: $0).base64EncodedString() }
            ).text
        }
        func look(_ body: JSONValue) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", Routes.receiptLookup, headers: foreign.headers, body: body.canonicalText)
        }
        let missing = try await look(["receiptCode": .string(try code("S1-1-20261121-0001", by: key))])
        #expect(missing.status == 404)
        let forged = try code("S1-1-20261121-0001", by: Curve25519.Signing.PrivateKey())
        let refused = try await look(["receiptCode": .string(forged)])
        #expect(refused.status == 422)
        #expect(try refused.json()["code"] == "receipt_code_invalid")
        #expect(try await look(["receiptCode": "HF1.x"]).status == 422)
        #expect(try await look([:]).status == 400)
    }
}
