import GRDB
import HubCore
import HubStore
import TestKit
import Testing

@testable import HubStoreSQLite

@Suite("The operators' log in a store")
struct OperatorLogTests {
    private static func act(_ number: Int, detail: String = "why") -> OperatorAct {
        OperatorAct(
            at: Int64(number), name: "kim", role: .manager, action: "override-service", subject: "order",
            detail: detail, outcome: .done)
    }

    private func brokenAt(_ ledger: any Ledger) async throws -> Int64? {
        var (sequence, hash): (Int64, String) = (0, LoggedAct.firstHash)
        for entry in try await ledger.loggedActs(after: 0, limit: 1_000) {
            guard entry.follows(sequence, hash: hash) else { return entry.sequence }
            (sequence, hash) = (entry.sequence, entry.hash)
        }
        return nil
    }

    @Test("Acts of many writers at once make one chain without gaps", arguments: StoreKind.all)
    func chained(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<5 {
                        try await ledger.keepActs([
                            Self.act(writer * 10 + number), Self.act(99, detail: "a\n\u{1b}[2J漢"),
                        ])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await ledger.loggedActCount() == 80)
        let entries = try await ledger.loggedActs(after: 0, limit: 1_000)
        #expect(entries.map(\.sequence) == Array(1...80))
        #expect(try await brokenAt(ledger) == nil)
        #expect(entries.contains { $0.act.detail == "a  [2J漢" })
        #expect(try await ledger.loggedActs(after: 78, limit: 1).map(\.sequence) == [79])
    }

    @Test("An entry that was changed, moved or taken out is found")
    func changed() async throws {
        for sql in [
            "UPDATE operator_log SET detail = 'other' WHERE sequence = 3",
            "DELETE FROM operator_log WHERE sequence = 3",
            "UPDATE operator_log SET name = 'lee', hash = '\(LoggedAct.firstHash)' WHERE sequence = 3",
        ] {
            let store = try TemporaryStore(.sqlite)
            try await store.ledger.keepActs((1...5).map { Self.act($0) })
            #expect(try await brokenAt(store.ledger) == nil)
            let queue = try DatabaseQueue(path: store.place)
            try await queue.write { try $0.execute(sql: sql) }
            #expect([3, 4].contains(try await brokenAt(store.ledger)), "\(sql)")
        }
    }
}
