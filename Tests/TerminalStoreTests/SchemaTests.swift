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
    @Test("version 1 is brought to today's with its orders, stock and outbox")
    func fromVersion1() async throws {
        let home = try TemporaryHome()
        let drafts = try (1...2).map { try StoreFixture.draft($0) }
        try Self.makeVersion1(of: drafts, at: home.path + "/terminal.sqlite")

        let store = try await StoreFixture(home: home, enrolled: false)
        #expect(await store.database.verify() == [])
        for draft in drafts {
            #expect(try await store.ledger.sale(key: draft.key)?.content == draft.content)
        }
        let outbox = SQLiteOutbox(store.database)
        #expect(try await outbox.pending(after: 0, limit: 10).map(\.sequence) == [2])
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.attempts == 4)
        #expect(entry.problem == "503")
        let voided = try await SQLiteOrderArchive(store.database).order("order-1")
        #expect(voided?.sale.voidedAt == 7)
        #expect(
            try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves) WHERE sku = 'S1'")
                == -3000)
        try await store.sell(3...3)
        #expect(await store.database.verify() == [])
    }

    @Test("stock moves of version 6 go to the entry that replaces theirs, however often it was edited")
    func fromVersion6() throws {
        let home = try TemporaryHome()
        let queue = try DatabaseQueue(path: home.path + "/terminal.sqlite")
        try queue.inDatabase { database in
            for version in Schema.steps.prefix(6) { try database.execute(sql: version) }
            try database.execute(
                sql: """
                    PRAGMA user_version = 6;
                    INSERT INTO journal (sequence, id, type, lane, made_at, hash, body, verdict, settled_by)
                    VALUES (1, 'a', 'order.completed', 'a', 0, '', '', 'superseded', 2),
                        (2, 'b', 'order.completed', 'a', 0, '', '', 'superseded', 3),
                        (3, 'c', 'order.completed', 'a', 0, '', '', 'applied', NULL),
                        (4, 'd', 'order.voided', 'a', 0, '', '', NULL, NULL),
                        (5, 'e', 'note.added', 'e', 0, '', '', NULL, NULL);
                    INSERT INTO stock_moves VALUES (1, 0, 'S1', -2000), (1, 2, 'S"2', -1), (4, 0, 'S1', 2000);
                    """)
            try Schema.migrate(database)
            let columns = try String?.fetchAll(
                database, sql: "SELECT stock_moves FROM journal ORDER BY sequence")
            let moved = try columns.map { try StockMoves(column: $0).moves }
            #expect(
                moved == [
                    [], [],
                    [
                        StockMoves.Move(line: 0, sku: "S1", deltaMilli: -2000),
                        StockMoves.Move(line: 2, sku: "S\"2", deltaMilli: -1),
                    ],
                    [StockMoves.Move(line: 0, sku: "S1", deltaMilli: 2000)], [],
                ])
            #expect(columns[4] == nil)
        }
    }

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
            "type IN ('shift.opened', 'shift.closed') AND lane = 'x'": "journal_shift_ids",
            "type = 'cash.moved' AND lane = 'x'": "journal_cash_moves",
        ]
        for (condition, index) in found {
            let plan = try await store.database.access { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN SELECT body FROM journal WHERE \(condition)"
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.contains("USING INDEX \(index) (lane=?)") }, "\(plan)")
        }
    }

    /// A database as version 1 left it: the first of `drafts` is acknowledged and voided with one unit given
    /// back, the second waits after four attempts.
    private static func makeVersion1(of drafts: [SaleDraft], at path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            try database.execute(sql: Schema.version1)
            try database.execute(
                sql: "PRAGMA user_version = 1; PRAGMA application_id = \(Schema.applicationId)")
            var previousHash = Mutation.genesisHash
            for (index, draft) in drafts.enumerated() {
                previousHash = try insert(draft, Int64(index + 1), after: previousHash, in: database)
            }
            try database.execute(
                sql: """
                    UPDATE terminal SET store_id = 'north-7', terminal_number = 3, sequence = 2, hash = ?,
                        pending = 1, business_day = 20261121, order_counter = 2;
                    UPDATE journal SET verdict = 'applied' WHERE sequence = 1;
                    UPDATE orders SET voided_at = 7, void_sequence = 1 WHERE sequence = 1;
                    INSERT INTO stock_returns VALUES (1, 5, 'S1', 1000);
                    INSERT INTO outbox VALUES (2, 4, '503');
                    """, arguments: [previousHash])
        }
        try queue.close()
    }

    private static func insert(
        _ draft: SaleDraft, _ sequence: Int64, after previousHash: String, in database: Database
    ) throws -> String {
        let content = draft.content
        let number = OrderNumber(
            storeId: "north-7", terminalNumber: 3, businessDay: draft.businessDay, counter: sequence)
        let entry = SealedMutation(
            id: "id-\(sequence)", sequence: sequence, type: "order.completed", entity: "order",
            entityId: "order-\(sequence)", clientGeneratedAt: Timestamp.text(milliseconds: content.madeAt),
            previousHash: previousHash, dependsOn: [],
            payload: OrderPayload.completed(
                content, orderId: "order-\(sequence)", orderNumber: number, businessDay: number.businessDay,
                hubTime: nil
            ).bytes)
        try database.execute(
            sql: "INSERT INTO journal VALUES (?, ?, 'order.completed', ?, ?, ?, ?, ?, NULL, NULL)",
            arguments: [
                sequence, entry.id, "order-\(sequence)", entry.id, content.madeAt, entry.hash,
                Blob(entry.bytes),
            ])
        try database.execute(
            sql: """
                INSERT INTO orders VALUES (?, ?, ?, ?, 'online', ?, 'Asia/Shanghai', 'CNY', NULL, NULL, '[]',
                    0, 0, 0, 0, NULL, NULL)
                """,
            arguments: [
                sequence, "order-\(sequence)", draft.key.description, number.description, content.madeAt,
            ])
        for (position, line) in content.lines.enumerated() {
            try database.execute(
                sql: "INSERT INTO order_lines VALUES (?, ?, ?, '', '', 0, 0, 0, NULL, 0, ?)",
                arguments: [
                    sequence, position, line.sku, line.isCounted ? -line.price.quantityMilli : 0,
                ])
        }
        return entry.hash
    }
}
