import Base
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("The schema")
struct SchemaTests {
    @Test("what is pending or refused is found without reading what was applied")
    func plans() async throws {
        let store = try await StoreFixture()
        for condition in ["verdict IS NULL AND sequence > 5", "verdict IN ('rejected', 'conflicted')"] {
            let plan = try await store.database.access { database in
                try Row.fetchAll(
                    database,
                    sql: "EXPLAIN QUERY PLAN SELECT body FROM journal WHERE \(condition) ORDER BY sequence"
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.contains("journal_unsettled") }, "\(plan)")
        }
    }

    @Test("a shift and a movement of cash are found by their ids, however many there were before")
    func shiftPlans() async throws {
        let store = try await StoreFixture()
        let found = [
            "type IN ('shift.opened', 'shift.closed') AND ordering_key = 'x'": "journal_shift_ids",
            "type = 'cash.moved' AND ordering_key = 'x'": "journal_cash_moves",
        ]
        for (condition, index) in found {
            let plan = try await store.database.access { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN SELECT body FROM journal WHERE \(condition)"
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.contains("USING INDEX \(index) (ordering_key=?)") }, "\(plan)")
        }
    }
}
