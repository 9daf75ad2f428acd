import Base
import Dashboard
import HubProtocol
import Retail
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

    /// At a change of the clocks an hour is missing or twice, and with it perhaps a begin of the day.
    @Test(
        "The day that the dashboard begins with is the day of a sale at the store's till",
        arguments: HubStoreKind.all)
    func dayOfTill(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let changes = ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-11-01T06:00:00Z"]
        for zone in ["Europe/Berlin", "America/New_York", "Asia/Shanghai"] {
            for text in ["04:00", "02:30", "00:00"] {
                let begin = try #require(BusinessDayBegin(text))
                let till = try #require(BusinessCalendar(timeZone: zone, begin: begin))
                try await hub.perform(
                    .changeStoreSettings(
                        storeId: "S1",
                        ["store.timeZone": .string(zone), BusinessDayBegin.key: .string(text)]))
                for change in try changes.map({ try #require(Timestamp.milliseconds(of: $0)) }) {
                    for moment in stride(
                        from: change - 21_600_000, through: change + 32_400_000, by: 1_799_000)
                    {
                        let day = try await hub.runningDay(at: moment)
                        #expect(day == till.day(at: moment).text, "\(zone) \(text) \(moment)")
                    }
                }
            }
        }
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
