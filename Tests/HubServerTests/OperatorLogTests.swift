import HubCore
import HubProtocol
import TestKit
import Testing

@testable import Dashboard
@testable import HubServer

/// Overrides that need two operators, and the log of what operators did.
@Suite("Overrides and the operators' log")
struct OperatorLogTests {
    private static let path = "/v1/qos/services/payment/override"
    private static let body = #"{"state":"faulty","reason":"works","until":null}"#

    private func payment(_ hub: HubInProcess) async throws -> JSONValue {
        let services = try await hub.perform(.qosStatus)["services"]?.array ?? []
        return try #require(services.first { $0["service"] == "payment" })
    }

    private func log(_ hub: HubInProcess) async throws -> [String] {
        let log = try await hub.perform(.operatorLog(limit: 100))
        #expect(log["chain"] == "intact")
        return (log["entries"]?.array ?? []).map { entry in
            ["operator", "action", "subject", "outcome"].map { entry[$0]?.string ?? "" }
                .joined(separator: " ")
        }
    }

    @Test("Whatever an operator can be refused, and every flag, has a word of the pages")
    func words() {
        let ofOperators = ProtectedAction.allCases.filter { action in
            OperatorRole.allCases.contains { AuthorizationTable.allows(action, by: $0.caller) }
                && !AuthorizationTable.allows(action, by: .anybody)
        }
        #expect(ofOperators.count >= 8)
        for action in ofOperators { #expect(PageWord.Right(rawValue: action.rawValue) != nil, "\(action)") }
        for flag in IntakeFlag.allCases {
            #expect((PageWord.Flag(rawValue: flag.rawValue) == nil) == (flag.alarm != nil), "\(flag)")
            #expect(flag.alarm.map { $0.rawValue == flag.rawValue } ?? true, "\(flag)")
        }
    }

    @Test("An override for the chain holds once another operator confirmed it", arguments: HubStoreKind.all)
    func secondOperator(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let first = try await hub.operatorHeaders(named: "kim")
        let second = try await hub.operatorHeaders("operator", named: "lee")
        let proposed = try await hub.request("PUT", Self.path, headers: first, body: Self.body)
        #expect(proposed.status == 202)
        let id = try #require(try proposed.json()["proposal"]?["id"]?.string)
        #expect(try await payment(hub)["state"] == "healthy")
        #expect(try await payment(hub)["proposal"]?["by"] == "kim")
        func confirm(_ headers: [String: String], _ id: String) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", Self.path + "/confirmation", headers: headers, body: #"{"id":"\#(id)"}"#)
        }
        #expect(try await confirm(first, id).problemCode == "second_operator_required")
        #expect(try await confirm(second, "01M81N5RAFKW0TCB7HBJ8K1EVK").status == 404)
        #expect(try await payment(hub)["state"] == "healthy")
        #expect(try await confirm(second, id).status == 200)
        #expect(try await payment(hub)["override"]?["by"] == "kim, lee")
        #expect(try await payment(hub)["state"] == "faulty")
        #expect(try await payment(hub)["proposal"]?.object == nil)
        #expect(try await confirm(second, id).status == 404)
        #expect(try await hub.request("DELETE", Self.path, headers: first).status == 200)
        #expect(try await payment(hub)["state"] == "healthy")
    }

    @Test("What is taken back before it is confirmed cannot be confirmed; on the local socket one is enough")
    func takenBack() async throws {
        let hub = try await HubInProcess()
        let first = try await hub.operatorHeaders(named: "kim")
        let second = try await hub.operatorHeaders(named: "lee")
        let proposed = try await hub.request("PUT", Self.path, headers: first, body: Self.body)
        let id = try #require(try proposed.json()["proposal"]?["id"]?.string)
        #expect(try await hub.request("DELETE", Self.path, headers: second).status == 200)
        let late = try await hub.request(
            "POST", Self.path + "/confirmation", headers: second, body: #"{"id":"\#(id)"}"#)
        #expect(late.status == 404)
        try await hub.perform(.overrideService("payment", state: "faulty", reason: "works", until: nil))
        #expect(try await payment(hub)["override"]?["by"] == "local")
    }

    @Test("An override for one store is for its terminals alone, and goes before the chain's")
    func oneStore() async throws {
        let hub = try await HubInProcess()
        let headers = try await hub.operatorHeaders("operator")
        let tills = [try await hub.enrol(store: "S1"), try await hub.enrol(store: "S2")]
        func states() async throws -> [String] {
            var states: [String] = []
            for till in tills {
                let json = try await till.get(Routes.qosDecisions + "?services=payment", on: hub).json()
                let decision = json["decisions"]?.array?.first
                states.append(
                    "\(decision?["state"]?.string ?? "") \(decision?["scope"]?.string ?? "")")
            }
            return states
        }
        let body = #"{"state":"faulty","reason":"works","storeId":"S1"}"#
        #expect(try await hub.request("PUT", Self.path, headers: headers, body: body).status == 200)
        #expect(try await states() == ["faulty store", "healthy global"])
        try await hub.perform(.overrideService("payment", state: "recovering", reason: "x", until: nil))
        #expect(try await states() == ["faulty store", "recovering global"])
        let cleared = try await hub.request("DELETE", Self.path + "?storeId=S1", headers: headers)
        #expect(cleared.status == 200)
        #expect(try await states() == ["recovering global", "recovering global"])
    }

    @Test("Every act is in the log, refusals once a minute, and no secret")
    func acts() async throws {
        let hub = try await HubInProcess()
        let viewer = try await hub.operatorHeaders("viewer")
        let manager = try await hub.operatorHeaders()
        for _ in 0..<3 {
            _ = try await hub.request("PUT", Self.path, headers: viewer, body: Self.body)
        }
        _ = try await hub.request("PUT", Self.path, headers: manager, body: Self.body)
        _ = try await hub.request("DELETE", Self.path, headers: manager)
        hub.clock.advance(by: .seconds(61))
        _ = try await hub.request("DELETE", Self.path, headers: viewer)
        try await hub.perform(.clearOverride("payment"))
        #expect(
            try await log(hub) == [
                "local add-operator viewer done", "local add-operator manager done",
                "viewer overrideStore  refused", "manager override-service payment proposed",
                "manager clear-override payment done", "viewer overrideStore  refused",
                "local clear-override payment done",
            ])
    }
}
