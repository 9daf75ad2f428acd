import Credentials
import Foundation
import HubProtocol
import HubServer
import Synchronization
import TestKit
import Testing

@Suite("The hub takes its decisions on cards from a gateway", .timeLimit(.minutes(2)))
struct PaymentGatewayTests {
    private let gateway: ReferenceGateway

    init() throws {
        gateway = try ReferenceGateway()
    }

    private func hub(
        on kind: HubStoreKind = .sqlite, in folder: TemporaryFolder? = nil, at place: String? = nil
    ) async throws -> HubInProcess {
        try await HubInProcess(in: folder, on: kind, at: place) { [gateway] in
            $0.payments = .http
            $0.gatewayURL = gateway.url
            $0.gatewayTimeout = .seconds(1)
        }
    }

    private func authorize(
        _ key: String, order: JSONValue? = nil, by till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> JSONValue {
        let body: JSONValue = ["orderId": order ?? "o1", "amount": ["amount": 1250, "currency": "CNY"]]
        return try await hub.request(
            "POST", Routes.authorizations,
            headers: till.headers.merging([HeaderNames.idempotencyKey: "\"\(key)\""]) { $1 },
            body: body.canonicalText
        ).json()
    }

    private func shown(_ key: String, to till: TillOverHTTP, on hub: HubInProcess) async throws -> JSONValue {
        try await hub.request("GET", "\(Routes.authorizations)/\(key)", headers: till.headers).json()
    }

    @Test("A decision is kept, and the same key moves nothing more", arguments: HubStoreKind.all)
    func decided(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        let till = try await hub.enrol()
        gateway.next(.approve, .decline)
        #expect(try await authorize("K1", by: till, on: hub)["approvalCode"] == "OK-K1")
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "authorized")
        #expect(try await authorize("K1", by: till, on: hub)["simulated"] == nil)
        #expect(try await authorize("K2", by: till, on: hub)["declineReason"] == "stolen_card")
        #expect(gateway.book.moves == ["K1"])
    }

    @Test(
        "A response that is lost, late or of another payment leaves the outcome unknown until it is asked for again",
        arguments: HubStoreKind.all)
    func unknown(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        let till = try await hub.enrol()
        let faults: [ReferenceGateway.Behaviour] = [
            .decideAndStall, .late, .otherPayment, .cut(afterBytes: 80),
        ]
        for (number, behaviour) in faults.enumerated() {
            let key = "K\(number)"
            gateway.next(behaviour)
            #expect(try await authorize(key, by: till, on: hub)["state"] == "unknown")
            #expect(try await shown(key, to: till, on: hub)["state"] == "authorized")
        }
        #expect(gateway.book.moves == ["K0", "K1", "K2", "K3"])
    }

    @Test("A response that ends after any byte leaves the payment unknown, or decided where it was complete")
    func cut() async throws {
        let hub = try await hub()
        let till = try await hub.enrol()
        for bytes in 0..<260 {
            let key = "K\(bytes)"
            gateway.next(.cut(afterBytes: bytes))
            let state = try await authorize(key, by: till, on: hub)["state"]?.string
            #expect(["unknown", "authorized"].contains(state), "\(bytes)")
            #expect(try await shown(key, to: till, on: hub)["state"] == "authorized")
        }
        #expect(gateway.book.moves.count == 260 && gateway.book.objections == [])
    }

    @Test("A key is one part of the gateway's path, whatever is in it")
    func keys() async throws {
        let hub = try await hub()
        let till = try await hub.enrol()
        let keys = ["a/../b", "x?y#z", "100%2F", "K.1"]
        for key in keys {
            gateway.next(.otherPayment)
            #expect(try await authorize(key, by: till, on: hub)["state"] == "unknown")
        }
        let decided = Mutex<Set<String>>([])
        gateway.behave { call in
            if call.kind == .decision { _ = decided.withLock { $0.insert(call.key) } }
            return nil
        }
        try await hub.forwardPayments()
        #expect(decided.withLock(\.self) == Set(keys))
    }

    @Test(
        "What never reached the gateway stays unknown, and is decided by the same key when the terminal asks again",
        arguments: HubStoreKind.all)
    func lost(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        let till = try await hub.enrol()
        gateway.next(.lose)
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "unknown")
        try await hub.forwardPayments()
        #expect(try await shown("K1", to: till, on: hub)["state"] == "unknown")
        #expect(gateway.book.moves == [])
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "authorized")
        #expect(gateway.book.moves == ["K1"])
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
        gateway.behave { _ in .unavailable }
        try await hub.forwardPayments()
        gateway.behave(nil)
        try await hub.forwardPayments()
        try await hub.forwardPayments()
        #expect(gateway.book.moves == ["K1", "K1:void"])
    }

    @Test(
        "A void that overtakes its authorisation is kept, and nothing is reserved",
        arguments: HubStoreKind.all)
    func overtaken(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        let till = try await hub.enrol()
        let halt = gateway.halt(.authorize, at: .arrived)
        async let late = authorize("K1", by: till, on: hub)
        await eventually { halt.isReached }
        _ = try await hub.request(
            "POST", "\(Routes.authorizations)/K1/void", headers: till.headers, body: "{}")
        try await hub.forwardPayments()
        halt.release()
        // Whether the gateway responds in its time or not.
        #expect(try await late["state"] == "voided")
        await eventually { gateway.book.accounts["K1"]?.isDeclined == true }
        #expect(try await shown("K1", to: till, on: hub)["state"] == "voided")
        #expect(gateway.book.moves == ["K1:void"])
        #expect(gateway.book.objections == [])
    }

    @Test("A response that comes twice is no response to the next request", arguments: HubStoreKind.all)
    func twice(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        gateway.behave { _ in .twice }
        for key in ["K1", "K2", "K3"] {
            #expect(try await authorize(key, by: till, on: hub)["approvalCode"] == .string("OK-\(key)"))
            _ = try await till.push(
                till.sale(paidBy: [
                    ["method": "card", "amount": 1250, "authorizationKey": .string(key)]
                ]), on: hub)
            try await hub.forwardPayments()
            #expect(gateway.book.accounts[key]?.captured == 1250)
        }
        #expect(gateway.book.objections == [])
    }

    @Test("A hub that ends between a decision and its response goes on with it", arguments: HubStoreKind.all)
    func restarted(_ kind: HubStoreKind) async throws {
        let folder = try TemporaryFolder()
        let place = try kind.place(in: folder)
        var first: HubInProcess? = try await hub(in: folder, at: place)
        var till = try await #require(first).enrol()
        gateway.next(.decideAndStall)
        _ = try await authorize("K1", by: till, on: #require(first))
        // Another hub on the same store, as after a kill.
        first = nil
        var second: HubInProcess? = try await hub(in: folder, at: place)
        try await #require(second).forwardPayments()
        #expect(try await shown("K1", to: till, on: #require(second))["state"] == "authorized")
        _ = try await till.push(
            till.sale(paidBy: [["method": "card", "amount": 1250, "authorizationKey": "K1"]]),
            on: #require(second))
        second = nil
        let third = try await hub(in: folder, at: place)
        try await third.forwardPayments()
        try await third.forwardPayments()
        #expect(gateway.book.moves == ["K1", "K1:capture"])
    }

    /// A sale of 1,250 that a stored token pays.
    private func stored(
        _ name: String, at second: Int, by till: inout TillOverHTTP, on hub: HubInProcess
    ) throws -> Mutation {
        let key = try #require(hub.sealingKey)
        let sealed = try #require(
            CardTokenSeal.sealed(
                Array("token-\(name)".utf8), ofPayment: name, amount: 1250, currency: "CNY",
                to: key.publicKey))
        return till.sale(paidBy: [
            [
                "method": "card", "amount": 1250, "authorizationKey": .string(name),
                "state": "storedOffline", "sealed": ["keyId": .string(key.id), "token": .string(sealed)],
                "storedAt": .string("2026-11-21T00:00:0\(second).000Z"),
            ]
        ])
    }

    @Test(
        "What comes back of a sale before its token was forwarded is given back behind the capture, or never",
        arguments: HubStoreKind.all)
    func refundedBefore(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        for (number, name) in ["K1", "K2"].enumerated() {
            let sale = try stored(name, at: number, by: &till, on: hub)
            let refund = till.minted(
                "refund.completed", "R\(number)", dependsOn: [sale.id],
                [
                    "orderId": sale.payload["orderId"] ?? .null, "total": 500, "currency": "CNY",
                    "payments": [["method": "card", "amount": 500, "authorizationKey": .string(name)]],
                ])
            for entry in [sale, refund] { _ = try await till.push(entry, on: hub) }
        }
        gateway.next(.approve, .decline)
        for _ in 0..<3 { try await hub.forwardPayments() }
        #expect(gateway.book.moves == ["K1", "K1:capture", "K1:refund:R0"])
        #expect(gateway.book.accounts["K1"]?.charged == 750)
        #expect(gateway.book.objections == [])
    }

    @Test(
        "Stored tokens are opened by the hub alone and forwarded in order; a decline is a debt and an alarm",
        arguments: HubStoreKind.all)
    func forwarded(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        for (number, name) in ["K1", "K2", "K3"].enumerated() {
            _ = try await till.push(stored(name, at: number, by: &till, on: hub), on: hub)
        }
        gateway.behave { _ in .unavailable }
        try await hub.forwardPayments()
        #expect(try await shown("K1", to: till, on: hub)["state"] == "storedOffline")
        gateway.behave(nil)
        gateway.next(.approve, .decline, .approve)
        try await hub.forwardPayments()
        #expect(gateway.book.moves == ["K1", "K3", "K1:capture", "K3:capture"])
        #expect(gateway.book.tokens["K1"] == Data("token-K1".utf8).base64EncodedString())
        #expect(try await shown("K2", to: till, on: hub)["state"] == "forwardDeclined")
        let debts = try await hub.perform(.audit(terminal: nil))["debts"]?.array
        #expect(debts?.compactMap { $0["key"]?.string } == ["K2"])
        #expect(debts?.first?["reason"] == "stolen_card")
    }

    @Test(
        "A token that this hub has no key for waits with an alarm; one that the gateway cannot read lets the others pass",
        arguments: HubStoreKind.all)
    func waiting(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var (till, other) = (try await hub.enrol(), try await hub.enrol())
        var foreign = try stored("K1", at: 0, by: &till, on: hub).payload.object ?? [:]
        foreign["payments"] = [
            [
                "method": "card", "amount": 1250, "authorizationKey": "K1", "state": "storedOffline",
                "sealed": ["keyId": "another", "token": "AAAA"], "storedAt": "2026-11-21T00:00:00.000Z",
            ]
        ]
        _ = try await till.push(till.minted("order.completed", "o1", .object(foreign)), on: hub)
        for (number, name) in ["L1", "L2"].enumerated() {
            _ = try await other.push(stored(name, at: number, by: &other, on: hub), on: hub)
        }
        gateway.behave { $0.key == "L1" ? .refuse(status: 422) : nil }
        for _ in 0..<2 { try await hub.forwardPayments() }
        #expect(gateway.book.moves == ["L2", "L2:capture"])
        #expect(try await shown("K1", to: till, on: hub)["state"] == "storedOffline")
        #expect(try await shown("L1", to: other, on: hub)["state"] == "storedOffline")
        #expect(try await alarms(on: hub) == ["payment_key_missing", "payment_not_readable"])
        gateway.behave(nil)
        try await hub.forwardPayments()
        #expect(try await shown("L1", to: other, on: hub)["state"] == "captured")
    }

    @Test(
        "A call that the gateway cannot read waits with an alarm, and the others go on",
        arguments: HubStoreKind.all)
    func unreadableCall(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        for key in ["K1", "K2"] {
            let sale = till.sale(paidBy: [
                ["method": "card", "amount": 1250, "authorizationKey": .string(key)]
            ])
            _ = try await authorize(key, order: sale.payload["orderId"], by: till, on: hub)
            #expect(try await till.push(sale, on: hub).json()["flags"] == [])
        }
        gateway.behave { $0.key == "K1" && $0.kind == .capture ? .refuse(status: 400) : nil }
        for _ in 0..<2 { try await hub.forwardPayments() }
        #expect(gateway.book.moves == ["K1", "K2", "K2:capture"])
        #expect(try await alarms(on: hub) == ["payment_not_readable"])
        gateway.behave(nil)
        try await hub.forwardPayments()
        #expect(gateway.book.moves == ["K1", "K2", "K2:capture", "K1:capture"])
        // What paid an accepted sale is voided with the sale alone.
        let path = "\(Routes.authorizations)/K1/void"
        let voided = try await hub.request("POST", path, headers: till.headers, body: "{}")
        #expect(voided.status == 409 && voided.problemCode == "conflict")
        #expect(try await shown("K1", to: till, on: hub)["state"] == "captured")
    }

    @Test("A capture that the gateway refuses for good is a debt", arguments: HubStoreKind.all)
    func refused(_ kind: HubStoreKind) async throws {
        let hub = try await hub(on: kind)
        var till = try await hub.enrol()
        #expect(try await authorize("K1", by: till, on: hub)["state"] == "authorized")
        _ = try await till.push(
            till.sale(paidBy: [["method": "card", "amount": 1250, "authorizationKey": "K1"]]), on: hub)
        gateway.behave { $0.kind == .capture ? .refuse(status: 503) : nil }
        try await hub.forwardPayments()
        #expect(try await shown("K1", to: till, on: hub)["state"] == "captured")
        gateway.behave { $0.kind == .capture ? .refuse(status: 409) : nil }
        for _ in 0..<2 { try await hub.forwardPayments() }
        #expect(try await shown("K1", to: till, on: hub)["state"] == "forwardDeclined")
        let debts = try await hub.perform(.audit(terminal: nil))["debts"]?.array
        #expect(debts?.compactMap { $0["reason"]?.string } == ["capture_refused"])
        #expect(try await alarms(on: hub) == ["payment_forward_declined"])
    }

    private func alarms(on hub: HubInProcess) async throws -> [String] {
        let headers = try await hub.operatorHeaders("operator")
        let list = try await hub.request("GET", Routes.alarms, headers: headers).json()["alarms"]?.array
        return (list ?? []).compactMap { $0["kind"]?.string }.sorted()
    }

    /// A card sale of a shift that is taken offline and refused when it is forwarded.
    private func refusedCard(
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
        let sale = try await refusedCard("K1", by: &till, in: shiftId, on: hub)
        let other = try await refusedCard("K2", by: &till, in: TillOverHTTP.ulid(), on: hub)
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
