import Foundation
import LinuxRuntime
import MachineRuntime
import Retail
import TerminalStore
import TestKit
import Testing

@testable import Agent

@Suite("The hub's time that the next run goes on with")
struct HubTimeKeeperTests {
    @Test("is on the disk once the keeper has finished, however soon a command ends after its response")
    func kept() async throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let home = TerminalHome(path: folder.url.path)
            try home.makePrivate()
            let database = try TerminalStores.open(home: home, creating: true)
            defer { database.close() }
            let facts = SQLiteTerminalFacts(database)
            let time = LinuxSystemTime()
            let keeper = HubTimeKeeper(time: time)
            let calendar = try #require(BusinessCalendar(timeZone: "UTC"))
            await keeper.start(facts, calendar: { calendar })
            let hub = time.wallMilliseconds() + 1_000
            keeper.note(hub)
            await keeper.finish()
            #expect(try await facts.hubTime()?.hub == hub)
        }
    }

    @Test("needs no more stack for a response after those of a month")
    func manyResponses() async throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        let database = try TerminalStores.open(home: home, creating: true)
        defer { database.close() }
        let time = LinuxSystemTime()
        let keeper = HubTimeKeeper(time: time)
        let calendar = try #require(BusinessCalendar(timeZone: "UTC"))
        await keeper.start(SQLiteTerminalFacts(database), calendar: { calendar })
        let hub = time.wallMilliseconds()
        // An idle till has some 220 an hour.
        for _ in 0..<160_000 { keeper.note(hub) }
        await keeper.finish()
        #expect(keeper.hubMilliseconds() != nil)
    }
}
