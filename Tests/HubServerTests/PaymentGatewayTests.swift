import Credentials
import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The hub takes its decisions on cards from a gateway", .timeLimit(.minutes(2)))
struct PaymentGatewayTests {
    private let gateway: ReferenceGateway

    init() throws {
        gateway = try ReferenceGateway()
    }

    private func hub(in folder: TemporaryFolder? = nil, on kind: HubStoreKind = .sqlite) async throws
        -> HubInProcess
    {
        try await HubInProcess(in: folder, on: kind) { [gateway] in
            $0.payments = .http
            $0.gatewayURL = gateway.url
            $0.gatewayTimeout = .seconds(1)
        }
    }

    private func authorize(
        _ key: String, by till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> JSONValue {
        let body: JSONValue = ["orderId": "o1", "amount": ["amount": 1250, "currency": "CNY"]]
        return try await hub.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"\(key)\""]) { $1 },
            body: body.canonicalText
        ).json()
    }

    private func shown(_ key: String, to till: TillOverHTTP, on hub: HubInProcess) async throws -> JSONValue {
        try await hub.request("GET", "\(Routes.authorizations)/\(key)", headers: till.headers).json()
    }

    @Test("A decision is kept, and the same key moves nothing more")
    func decided() async throws {
        let hub = try await hub()
        let till = try await hub.enrol()
        gateway.next(.approve, .decline)
        #expect(try await authorize("K1", by: till, on: hub)["approvalCode"] == "OK-K1")
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "authorized")
        #expect(try await authorize("K1", by: till, on: hub)["simulated"] == nil)
        #expect(try await authorize("K2", by: till, on: hub)["declineReason"] == "stolen_card")
        #expect(gateway.moves == ["K1"])
    }

    @Test(
        "A response that is lost, late or of another payment leaves the outcome unknown until it is asked for again"
    )
    func unknown() async throws {
        let hub = try await hub()
        let till = try await hub.enrol()
        for (number, behaviour) in [ReferenceGateway.Behaviour.decideAndStall, .late, .otherPayment]
            .enumerated()
        {
            let key = "K\(number)"
            gateway.next(behaviour)
            #expect(try await authorize(key, by: till, on: hub)["state"] == "unknown")
            #expect(try await shown(key, to: till, on: hub)["state"] == "authorized")
        }
        #expect(gateway.moves == ["K0", "K1", "K2"])
    }

    @Test(
        "What never reached the gateway stays unknown, and is decided by the same key when the terminal asks again"
    )
    func lost() async throws {
        let hub = try await hub()
        let till = try await hub.enrol()
        gateway.next(.lose)
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "unknown")
        try await hub.forwardPayments()
        #expect(try await shown("K1", to: till, on: hub)["state"] == "unknown")
        #expect(gateway.moves == [])
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "authorized")
        #expect(gateway.moves == ["K1"])
    }

    @Test("A void before the late response wins, and the gateway gets it", arguments: HubStoreKind.all)
    func voidedMeanwhile(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        let till = try await hub.enrol()
        gateway.next(.decideAndStall)
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "unknown")
        let voided = try await hub.request(
            "POST", "\(Routes.authorizations)/K1/void", headers: till.headers, body: "{}")
        #expect(try voided.json()["state"] == "voided")
        gateway.with { $0.isDown = true }
        try await hub.forwardPayments()
        gateway.with { $0.isDown = false }
        try await hub.forwardPayments()
        try await hub.forwardPayments()
        #expect(gateway.moves == ["K1", "K1:void"])
    }

    @Test("A hub that ends between decision and telling goes on with it")
    func restarted() async throws {
        let folder = try TemporaryFolder()
        var first: HubInProcess? = try await hub(in: folder)
        var till = try await #require(first).enrol()
        gateway.next(.decideAndStall)
        _ = try await authorize("K1", by: till, on: #require(first))
        // Another hub on the same store, as after a kill.
        first = nil
        var second: HubInProcess? = try await hub(in: folder)
        try await #require(second).forwardPayments()
        #expect(try await shown("K1", to: till, on: #require(second))["state"] == "authorized")
        _ = try await till.push(
            till.sale(paidBy: [["method": "card", "amount": 1250, "authorizationKey": "K1"]]),
            on: #require(second))
        second = nil
        let third = try await hub(in: folder)
        try await third.forwardPayments()
        try await third.forwardPayments()
        #expect(gateway.moves == ["K1", "K1:capture"])
    }

    @Test(
        "Stored tokens are opened by the hub alone and forwarded in order; a decline is a debt and an alarm")
    func forwarded() async throws {
        let hub = try await hub()
        var till = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        for (number, name) in ["K1", "K2", "K3"].enumerated() {
            let sealed = try #require(
                CardTokenSeal.sealed(
                    Array("token-\(name)".utf8), ofPayment: name, amount: 1250, currency: "CNY",
                    to: key.publicKey))
            _ = try await till.push(
                till.sale(paidBy: [
                    [
                        "method": "card", "amount": 1250, "authorizationKey": .string(name),
                        "state": "storedOffline",
                        "sealed": ["keyId": .string(key.id), "token": .string(sealed)],
                        "storedAt": .string("2026-11-21T00:00:0\(number).000Z"),
                    ]
                ]), on: hub)
        }
        gateway.with { $0.isDown = true }
        try await hub.forwardPayments()
        #expect(try await shown("K1", to: till, on: hub)["state"] == "storedOffline")
        gateway.with { $0.isDown = false }
        gateway.next(.approve, .decline, .approve)
        try await hub.forwardPayments()
        #expect(gateway.moves == ["K1", "K3", "K1:capture", "K3:capture"])
        #expect(
            gateway.with { $0.tokens }["K1"] == Data("token-K1".utf8).base64EncodedString())
        #expect(try await shown("K2", to: till, on: hub)["state"] == "forwardDeclined")
        let debts = try await hub.perform(.audit(terminal: nil))["debts"]?.array
        #expect(debts?.compactMap { $0["key"]?.string } == ["K2"])
        #expect(debts?.first?["reason"] == "stolen_card")
    }

    /// A card sale of a shift that is taken offline and refused when it is forwarded.
    private func refused(
        _ key: String, by till: inout TillOverHTTP, in shiftId: String, on hub: HubInProcess
    ) async throws -> Mutation {
        let sealing = try #require(hub.sealingKey)
        let sealed = try #require(
            CardTokenSeal.sealed(
                Array("token".utf8), ofPayment: key, amount: 1250, currency: "CNY", to: sealing.publicKey))
        let sale = till.sale(
            paidBy: [
                [
                    "method": "card", "amount": 1250, "authorizationKey": .string(key),
                    "state": "storedOffline",
                    "sealed": ["keyId": .string(sealing.id), "token": .string(sealed)],
                    "storedAt": "2026-11-21T00:00:00.000Z",
                ]
            ], in: shiftId)
        _ = try await till.push(sale, on: hub)
        gateway.next(.decline)
        try await hub.forwardPayments()
        return sale
    }

    @Test(
        "A debt is listed with its order, belongs to its shift, and is settled once by whoever may",
        arguments: HubStoreKind.all)
    func debts(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        let shiftId = TillOverHTTP.ulid()
        _ = try await till.push(till.shiftOpened(shiftId), on: hub)
        let sale = try await refused("K1", by: &till, in: shiftId, on: hub)
        let other = try await refused("K2", by: &till, in: TillOverHTTP.ulid(), on: hub)
        let (lee, integrator) = (
            try await hub.operatorHeaders("operator"), try await hub.operatorHeaders("integrator")
        )
        func read(_ path: String) async throws -> JSONValue {
            try await hub.request("GET", path, headers: integrator).json()
        }
        let list = try await read(Routes.debts)
        let debt = try #require(list["debts"]?.array?.first { $0["id"] == "K1" })
        #expect(debt["orderNumber"] == sale.payload["orderNumber"])
        #expect(debt["amount"] == 1250 && debt["currency"] == "CNY" && debt["storeId"] == "S1")
        #expect(debt["shiftId"] == .string(shiftId) && debt["reason"] == "stolen_card")
        #expect(debt["takenAt"] == "2026-11-21T00:00:00.000Z" && debt["refusedAt"] == .string(hub.clock.text))
        #expect(debt["state"] == "open" && (debt["settlement"] ?? .null) == .null)
        #expect(list["sums"] == [["storeId": "S1", "currency": "CNY", "count": 2, "amount": 2500]])
        #expect(try await read(Routes.debts + "?storeId=S2")["debts"] == [])
        let shift = try await read(Routes.shifts + "/" + shiftId)
        #expect(shift["debts"]?.array?.count == 1)
        #expect(shift["debts"]?.array?.first?["orderNumber"] == sale.payload["orderNumber"])
        #expect(shift["debts"]?.array?.first?["amount"] == 1250 && shift["debtTotal"] == 1250)
        func settle(_ id: String, _ headers: [String: String]) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", "\(Routes.debts)/\(id)/settlement", headers: headers,
                body: #"{"reason":"paid in cash"}"#)
        }
        #expect(try await settle("K1", integrator).status == 403)
        let settled = try await settle("K1", lee).json()
        #expect(settled["state"] == "settled" && settled["settlement"]?["by"] == "operator")
        #expect(try await settle("K1", lee).problemCode == "debt_settled")
        #expect(try await settle("none", lee).status == 404)
        let left = try await hub.perform(.audit(terminal: nil))["debts"]?.array
        #expect(left?.count == 1 && left?.first?["orderId"] == other.payload["orderId"])
        let after = try await read(Routes.shifts)["shifts"]?.array?.first
        #expect(after?["debts"]?.array?.first?["state"] == "settled" && after?["debtTotal"] == 0)
        #expect(try await shown("K1", to: till, on: hub)["settledAt"] == .string(hub.clock.text))
        #expect(try await shown("K2", to: till, on: hub)["settledAt"] == nil)
        try await hub.perform(.backOffice(.settleDebt(id: "K2", reason: "written off")))
        let log = try await hub.perform(.operatorLog(limit: 9))["entries"]?.array ?? []
        #expect(
            log.filter { $0["action"] == "settle-debt" }.compactMap { $0["subject"]?.string }
                == ["K1", "K2"], "\(log)")
        let open = try await hub.request("GET", Routes.alarms, headers: integrator).json()["alarms"]
        #expect(open == [], "the alarm ends with the last debt")
    }
}
