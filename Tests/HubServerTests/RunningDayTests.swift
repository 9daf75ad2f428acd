import Base
import Dashboard
import HubProtocol
import TestKit
import Testing

@testable import HubServer

@Suite("The day that the stores are in")
struct RunningDayTests {
    @Test(
        "It is that of the stores' time zone where all set the same, and UTC's otherwise",
        arguments: HubStoreKind.all)
    func zones(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let evening = try #require(Timestamp.milliseconds(of: "2026-11-26T05:00:00Z"))
        func day() async throws -> String { try await hub.runningDay(at: evening) }
        #expect(try await day() == "2026-11-26")
        // The day of UTC begins at 04:00, too, as that of a till whose store sets no time zone.
        let behindMidnight = try #require(Timestamp.milliseconds(of: "2026-11-26T03:59:00Z"))
        #expect(try await hub.runningDay(at: behindMidnight) == "2026-11-25")
        func set(_ storeId: String, _ zone: String) async throws {
            try await hub.perform(.changeStoreSettings(storeId: storeId, ["store.timeZone": .string(zone)]))
        }
        try await set("S1", "America/Los_Angeles")
        #expect(try await day() == "2026-11-25")
        try await set("S2", "America/Los_Angeles")
        #expect(try await day() == "2026-11-25")
        try await set("S2", "Asia/Shanghai")
        #expect(try await day() == "2026-11-26")
        try await set("S1", "Asia/Shanghai")
        // 13:00 there; the day began at 04:00.
        #expect(try await day() == "2026-11-26")
        let night = try #require(Timestamp.milliseconds(of: "2026-11-25T19:00:00Z"))
        #expect(try await hub.runningDay(at: night) == "2026-11-25")
    }

    @Test(
        "Today's sales are those of each store's own day where the zones of stores differ",
        arguments: HubStoreKind.all)
    func ownDays(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let evening = try #require(Timestamp.milliseconds(of: "2026-11-26T01:00:00Z"))
        for (store, zone, sales) in [
            ("S1", "America/Los_Angeles", [("2026-11-25", 100), ("2026-11-26", 1_000)]),
            ("S2", "Asia/Shanghai", [("2026-11-25", 2_000), ("2026-11-26", 20)]),
        ] {
            var till = try await hub.enrol(store: store)
            try await hub.perform(
                .changeStoreSettings(storeId: store, ["store.timeZone": .string(zone)]))
            for (day, total) in sales {
                var other = till
                let sale = other.sale(total: Int64(total))
                var payload = sale.payload.object ?? [:]
                payload["businessDay"] = .string(day)
                let response = try await till.push(
                    [till.minted("order.completed", sale.entityId, .object(payload))], on: hub)
                #expect(response.status == 200, "\(response.text)")
            }
        }
        let sales = try await hub.runningSales(at: evening)
        #expect(sales.days == ["2026-11-25", "2026-11-26"])
        #expect(sales.total.map(\.net) == [120])
        #expect(sales.tenders.map { [$0.key, "\($0.net)"] } == [["cash", "120"]])
        #expect(
            Dictionary(uniqueKeysWithValues: sales.stores.map { ($0.key, $0.net) }) == ["S1": 100, "S2": 20])
        // At noon in Shanghai it is still the evening in Los Angeles; at 13:00 UTC both are in the 26th.
        let later = try await hub.runningSales(at: evening + 12 * 3_600_000)
        #expect(later.days == ["2026-11-26"] && later.total.map(\.net) == [1_020])
    }
}
