import Base
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// What is lent to a till that does not come back.
@Suite("Leases of silent terminals")
struct SilentTerminalTests {
    private static let day = 86_400

    private func lent(to till: TillOverHTTP, on hub: HubInProcess) async throws {
        let wanted = LeaseRequest(kind: .coupon, subject: "tea5", amount: 1, epoch: 1)
        let lent = try await hub.request(
            "POST", Routes.leases, headers: till.headers, body: wanted.json.canonicalText)
        try #require(lent.status == 200, "\(lent.text)")
    }

    private func stocked(_ kind: HubStoreKind) async throws -> HubInProcess {
        let hub = try await HubInProcess(on: kind)
        try await hub.imported(.promotions, "id,name,kind,amount_minor\np1,Tea,amount,100\n")
        try await hub.imported(.coupons, "code,promotion_id,max_uses,offline\nTEA5,p1,8,true\n")
        return hub
    }

    private func leases(of till: TillOverHTTP, on hub: HubInProcess) async throws -> [JSONValue] {
        let list = try await hub.perform(.backOffice(.listLeases(all: true)))["leases"]?.array ?? []
        return list.filter { $0["terminalId"] == .string(till.grant.terminalId) }
    }

    private func alarms(on hub: HubInProcess) async throws -> [JSONValue] {
        let page = BackOfficeCall.Page(SalesFilter())
        return try await hub.perform(.backOffice(.listAlarms(page, all: true)))["alarms"]?.array ?? []
    }

    @Test(
        "After a week they are listed with their risk and one alarm, and nothing is released",
        arguments: HubStoreKind.all)
    func listed(_ kind: HubStoreKind) async throws {
        let hub = try await stocked(kind)
        let (silent, alive) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        try await lent(to: silent, on: hub)
        try await lent(to: alive, on: hub)
        hub.clock.advance(by: .seconds(7 * Self.day - 1))
        let report =
            #"{"appVersion":"9.8","outbox":{"pending":3,"oldestAgeMs":5,"rejected":0,"conflicted":0}}"#
        _ = try await hub.request("POST", Routes.telemetry, headers: alive.headers, body: report)
        await hub.lookAtLeases()
        #expect(try await alarms(on: hub).isEmpty)
        hub.clock.advance(by: .seconds(1))
        for _ in 1...2 {
            await hub.lookAtLeases()
            hub.clock.advance(by: .seconds(Self.day))
        }
        let found = try await alarms(on: hub)
        #expect(found.map { $0["kind"] } == ["leases_of_silent_terminal"])
        #expect(found.first?["terminalId"] == .string(silent.grant.terminalId))
        #expect(found.first?["detail"]?.string?.hasSuffix("coupon 2") == true)
        let mine = try await leases(of: silent, on: hub)
        #expect(mine.map { $0["state"] } == ["expired"] && mine.map { $0["risk"] } == [2])
        #expect(mine.first?["silentSince"] != nil)
        #expect(try await leases(of: alive, on: hub).map { $0["silentSince"] } == [nil])
    }

    @Test("They end by themselves after the days that their store sets", arguments: HubStoreKind.all)
    func released(_ kind: HubStoreKind) async throws {
        let hub = try await stocked(kind)
        let (here, there) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        try await hub.perform(.changeStoreSettings(storeId: "S1", ["leases.releaseAfterDays": 8]))
        try await lent(to: here, on: hub)
        try await lent(to: there, on: hub)
        hub.clock.advance(by: .seconds(8 * Self.day - 1))
        await hub.lookAtLeases()
        #expect(try await leases(of: here, on: hub).map { $0["state"] } == ["expired"])
        hub.clock.advance(by: .seconds(1))
        await hub.lookAtLeases()
        let mine = try await leases(of: here, on: hub)
        #expect(mine.map { $0["state"] } == ["released"] && mine.map { $0["releasedBy"] } == ["hub"])
        #expect(mine.map { $0["reason"] } == ["nothing has come from the terminal for 8 days"])
        #expect(try await leases(of: there, on: hub).map { $0["state"] } == ["expired"])
        // A week is the least.
        let code = try await hub.refusal(
            .changeStoreSettings(storeId: "S1", ["leases.releaseAfterDays": 6]))
        #expect(code?.rawValue == "setting_refused")
    }
}
