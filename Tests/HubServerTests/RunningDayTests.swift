import Base
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
        let evening = try #require(Timestamp.milliseconds(of: "2026-11-26T01:00:00Z"))
        func day() async throws -> String { try await hub.runningDay(at: evening) }
        #expect(try await day() == "2026-11-26")
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
        // 09:00 there; the day began at 04:00.
        #expect(try await day() == "2026-11-26")
        let night = try #require(Timestamp.milliseconds(of: "2026-11-25T19:00:00Z"))
        #expect(try await hub.runningDay(at: night) == "2026-11-25")
    }
}
