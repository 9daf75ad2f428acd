import Foundation
import HubProtocol
import TestKit
import Testing

/// How a hub responds to a replay whose response is older than it keeps responses, with a clock that is
/// put forward.
@Suite("Replays after a month", .onStage, .serialized, .enabled(if: ShiftedClock.compiler != nil))
struct OldResponseTests {
    private func audit(_ hub: HubUnderTest) throws -> JSONValue? {
        try hub.json("audit")["terminals"]?.array?.first
    }

    @Test(
        "After 29 days the first response is returned again, after 31 it is expired_replay; nothing runs twice"
    )
    func month() throws {
        let folder = try TemporaryFolder()
        let clock = try ShiftedClock(in: folder)
        // Tokens outlive the journey.
        let file = folder.path("hub.json")
        try #"{"tokens":{"lifetimeSeconds":34560000}}"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        func started(afterDays days: Int) throws -> HubUnderTest {
            try HubUnderTest(
                ["--config", file], in: folder, environment: clock.settings(shiftedBy: days * 86_400))
        }
        var hub = try started(afterDays: 0)
        var till = try hub.enrol()
        let sales = (0..<3).map { _ in till.sale() }
        for sale in sales {
            let low = [HeaderNames.lowSequence: String(sale.sequence)]
            #expect(try till.push(sale, on: hub.client(), headers: low).status == 201)
        }
        let before = try audit(hub)
        hub.stop()
        hub = try started(afterDays: 29)
        #expect(try till.push(sales[0], on: hub.client()).status == 200)
        hub.stop()
        hub = try started(afterDays: 31)
        let client = try hub.client()
        let deadline = Date(timeIntervalSinceNow: 10)
        var response = try till.push(sales[0], on: client)
        while response.status == 200, Date() < deadline {
            // The pruning begins when the hub does, beside the first requests.
            Thread.sleep(forTimeInterval: 0.1)
            response = try till.push(sales[0], on: client)
        }
        #expect(response.status == 422)
        #expect(response.problemCode == "expired_replay")
        #expect(try response.json()["outcome"] == "rejected")
        // The hub has no record that the till received the last result.
        #expect(try till.push(sales[2], on: client).status == 200)
        #expect(try audit(hub) == before)
        #expect(before?["orders"] == 3)
    }
}
