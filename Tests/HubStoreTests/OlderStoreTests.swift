import Foundation
import GRDB
import HubCore
import HubProtocol
import HubStore
import TestKit
import Testing

@testable import HubStorePostgres
@testable import HubStoreSQLite

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

    /// Members as a hub of schema 4 kept them, some with a profile that is hard to read, and a note.
    private static let members = [
        ("m1", #"{"name":"Li","phone":"+86 138-0013 8000","points":1}"#),
        ("m2", #"{"a":{"phone":"1"},"phone":"(86)13800138000é٣","points":0}"#),
        ("m3", #"{"phone":8613800138000,"points":0}"#), ("m4", #"{"name":"Wu","points":0}"#),
        ("m5", #"{"name":"\u0000","phone":"77","points":0}"#), ("m6", #"{"phone":"","points":0}"#),
        ("m7", #"{"phone":"none","points":0}"#), ("m8", #"{"phone":null,"points":0}"#),
    ]

    private static func rows(of members: [(String, String)]) -> [String] {
        members.map { id, value in
            "INSERT INTO changes (entity, entity_id, store_id, version, hlc, value) "
                + "VALUES ('member', '\(id)', '', 1, '0', '\(value)')"
        } + [
            "INSERT INTO changes (entity, entity_id, store_id, version, hlc, value) "
                + #"VALUES ('note', 'n', 'S1', 1, '0', '{"phone":"77"}')"#,
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc) "
                + "VALUES ('member', 'gone', '', 1, 5, '0')",
        ]
    }

    private func expectMembers(_ store: any Ledger) async throws {
        let found = try await store.members(lookup: "8613800138000", limit: 9)
        #expect(found.map(\.id) == ["m1", "m2"])
        #expect(found.first?.points == 1)
        // Written anew, whatever the profile holds.
        var till = Till()
        let touched = till.minted("points.adjusted", ["delta": 1], entityId: "m5")
        _ = try await store.ingest(till.push([touched]))
        #expect(try await store.members(lookup: "77", limit: 9).map(\.id) == ["m5"])
    }

    @Test("SQLite: members of a hub without it are found by their phone")
    func sqliteMembers() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("hub.sqlite")
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { db in
            try SQLiteSchema(steps: Array(SQLiteSchema.ledger.steps.prefix(4))).migrate(db)
            for row in Self.rows(of: Self.members + [("m9", "no document")]) { try db.execute(sql: row) }
        }
        try queue.close()
        let ledger = try SQLiteLedger(path: path)
        defer { ledger.close() }
        try await expectMembers(ledger)
    }

    @Test(
        "PostgreSQL: members of a hub without it are found by their phone",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
    func postgresqlMembers() async throws {
        let url = try PostgresServer.shared.get().freshSchema()
        let connection = try PostgresConnection(url: url)
        let steps = Array(PostgresSchema.ledger.steps.prefix(4))
        try PostgresSchema(name: "ledger", steps: steps).migrate(connection, shownURL: url)
        for row in Self.rows(of: Self.members) { try connection.query(row) }
        let ledger = try PostgresLedger.underLoad(url: url)
        defer { ledger.close() }
        try await expectMembers(ledger)
    }

    private func expectOldAndNew(_ store: any Ledger) async throws {
        var till = Till()
        let orphan = till.minted("order.voided", ["orderId": "x"], dependsOn: ["gone"])
        let void = till.minted("order.voided", ["orderId": "o"])
        let twice = till.minted("order.voided", ["orderId": "o"])
        let response = try await store.ingest(till.push([orphan, void, twice]))
        guard case .results(let taken) = response else {
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
        for row in Self.rows { try connection.query(row) }
        let ledger = try PostgresLedger.underLoad(url: url)
        defer { ledger.close() }
        try await expectOldAndNew(ledger)
        #expect(try server.sql(Self.counted, on: url) == "m1 0,m2 1,m3 0\n")
    }
}
