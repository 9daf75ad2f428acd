import Foundation
import GRDB
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubStore

/// Stores that an older hub wrote.
@Suite("Stores of older hubs")
struct OlderStoreTests {
    /// Two orders under one id, as an older hub let them in, and a mutation that was given up.
    private static let rows = [
        "INSERT INTO orders VALUES ('m2', 'o', 'n2', 'S1', 'T1', 5, 'CNY', NULL)",
        "INSERT INTO orders VALUES ('m1', 'o', 'n1', 'S1', 'T1', 5, 'CNY', NULL)",
        "INSERT INTO orders VALUES ('m3', 'p', 'n3', 'S1', 'T1', 5, 'CNY', NULL)",
        """
        INSERT INTO mutations VALUES
            ('m1', 'T9', 1, 'order.completed', 'd', '', '', 'applied', '', '{}', NULL, NULL, '', 1),
            ('m2', 'T9', 2, 'order.completed', 'd', '', '', 'applied', '', '{}', NULL, NULL, '', 1),
            ('gone', 'T1', 9, 'order.completed', 'd', '', '', 'rejected', '', '{}', NULL, 'word', '', 1)
        """,
    ]
    private static let counted =
        "SELECT string_agg(mutation_id || ' ' || repeats, ',' ORDER BY mutation_id) FROM orders"

    private func expectOldAndNew(_ store: any Ledger) async throws {
        var till = Till()
        let orphan = till.minted("order.voided", ["orderId": "x"], dependsOn: ["gone"])
        let void = till.minted("order.voided", ["orderId": "o"])
        let twice = till.minted("order.voided", ["orderId": "o"])
        let answer = try await store.takeIn(till.push([orphan, void, twice]))
        guard case .results(let taken) = answer else {
            Issue.record("the journal was refused")
            return
        }
        #expect(taken.results.map(\.outcome) == [.rejected, .applied, .conflict])
    }

    @Test("SQLite: an order that is there twice stays so, and counts as one")
    func sqlite() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hub.sqlite")
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { db in
            try SQLiteSchema(steps: Array(SQLiteSchema.ledger.steps.prefix(3))).migrate(db)
            for row in Self.rows { try db.execute(sql: row) }
        }
        try queue.close()
        let ledger = try SQLiteLedger(path: path)
        defer { ledger.close() }
        try await expectOldAndNew(ledger)
        let reader = try DatabaseQueue(path: path)
        let counts = try await reader.read { db in
            try Int64.fetchAll(db, sql: "SELECT repeats FROM orders ORDER BY mutation_id")
        }
        #expect(counts == [0, 1, 0])
    }

    @Test(
        "PostgreSQL: an order that is there twice stays so, and counts as one",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
    func postgresql() async throws {
        let server = try PostgresServer.shared.get()
        let url = try server.freshSchema()
        let connection = try PostgresConnection(url: url)
        let steps = Array(PostgresSchema.ledger.steps.prefix(3))
        try PostgresSchema(name: "ledger", steps: steps).migrate(connection, shownURL: url)
        for row in Self.rows { try connection.ask(row) }
        let ledger = try PostgresLedger(url: url)
        defer { ledger.close() }
        try await expectOldAndNew(ledger)
        #expect(try server.sql(Self.counted, on: url) == "m1 0,m2 1,m3 0\n")
    }
}
