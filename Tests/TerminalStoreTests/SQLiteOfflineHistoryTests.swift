import OfflineCore
import Retail
import TestKit
import Testing

@testable import TerminalStore

@Suite("Offline periods")
struct SQLiteOfflineHistoryTests {
    @Test("gather their causes, evidence and sales, and end once")
    func periods() async throws {
        let store = try await StoreFixture()
        let periods = SQLiteOfflineHistory(store.database)
        try await store.sell(1...1, mode: .offline)
        try await periods.noteOffline(at: 1000, causes: ["network"], evidence: ["ping:timeout"])
        try await store.sell(2...4, mode: .offline)
        try await store.sell(5...5, mode: .online)
        try await periods.noteOffline(at: 2000, causes: ["manual", "network"], evidence: ["manual"])
        try await periods.noteOnline(at: 3000)
        try await periods.noteOnline(at: 4000)
        try await store.sell(6...6, mode: .offline)
        try await periods.noteOffline(at: 5000, causes: ["service"], evidence: [])
        #expect(
            try await periods.newest() == [
                OfflineInterval(
                    id: 2, startedAt: 5000, endedAt: nil, causes: ["service"], evidence: [], sales: 0),
                OfflineInterval(
                    id: 1, startedAt: 1000, endedAt: 3000, causes: ["network", "manual"],
                    evidence: ["ping:timeout", "manual"], sales: 3),
            ])
    }

    @Test("a period continues over a restart, and a clock set back never ends it before it began")
    func restart() async throws {
        let store = try await StoreFixture()
        try await SQLiteOfflineHistory(store.database).noteOffline(at: 9000, causes: ["manual"], evidence: [])
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        let periods = SQLiteOfflineHistory(again.database)
        try await periods.noteOffline(at: 9500, causes: ["manual"], evidence: [])
        try await periods.noteOnline(at: 100)
        #expect(try await periods.newest().map(\.startedAt) == [9000])
        #expect(try await periods.newest().map(\.endedAt) == [9000])
    }
}

@Suite("What a terminal keeps")
struct TerminalRetentionTests {
    @Test("Every table of the schema has its end in the list, and no other table is in it")
    func complete() {
        let tables = Schema.steps.joined().matches(of: /CREATE TABLE (\w+)/).map { String($0.1) }
        #expect(Set(TerminalKept.all.filter(\.isTable).map(\.name)) == Set(tables))
    }

    @Test("The page of what is kept has the tables that the code gives")
    func reference() throws {
        let page = ReferencePage("docs/reference/retention.md")
        #expect(try page.holds(TerminalKept.referenceOfKeys))
        #expect(try page.holds(TerminalKept.referenceOfAll))
    }

    @Test("Old periods go, those that last or ended later stay")
    func periods() async throws {
        let store = try await StoreFixture()
        let periods = SQLiteOfflineHistory(store.database)
        for start in [1_000, 2_000] as [Int64] {
            try await periods.noteOffline(at: start, causes: ["network"], evidence: [])
            try await periods.noteOnline(at: start + 500)
        }
        try await periods.noteOffline(at: 3_000, causes: ["network"], evidence: [])
        try await periods.removeEnded(before: 2_500)
        #expect(try await periods.newest().map(\.startedAt) == [3_000, 2_000])
        try await periods.removeEnded(before: 9_000)
        #expect(try await periods.newest().map(\.startedAt) == [3_000])
    }
}
