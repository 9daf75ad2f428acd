import Dispatch
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Synchronization
import Testing

@testable import TerminalStore

@Suite("Reads beside sales", .timeLimit(.minutes(1)))
struct BackgroundReadsTests {
    /// Counts the reads, each of which runs on a queue of the test.
    private final class Reads: Sendable {
        let count = Mutex(0)
        private let queue = DispatchQueue(label: "reads of the test")

        func around<Value>(_ body: () async -> Value) async -> Value {
            await BackgroundReads { read in
                self.count.withLock { $0 += 1 }
                self.queue.async(execute: read)
            }.around(body)
        }
    }

    @Test("A list is read while the connection that writes is in use, with all that was committed before")
    func beside() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...3)
        let archive = SQLiteOrderArchive(store.database)
        let release = DispatchSemaphore(value: 0)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let writing = Task { [database = store.database] in
            try await database.access { _ in
                begin.finish()
                release.wait()
            }
        }
        for await _ in begun {}
        // On the one connection it would wait for the release, which comes after it.
        let listed = await Reads().around {
            try? await archive.orders(matching: OrderSearch(), limit: 10, before: nil)
        }
        release.signal()
        try await writing.value
        #expect(listed?.map(\.sale) == sales.reversed())
        let more = try await store.sell(4...4)
        let newest = await Reads().around {
            try? await archive.orders(matching: OrderSearch(), limit: 1, before: nil)
        }
        #expect(newest?.map(\.sale) == more)
    }

    @Test("The connection that reads cannot write, and is gone with the database")
    func closing() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...1)
        let reads = Reads()
        let refused: Void? = await reads.around { [database = store.database] in
            try? await database.read { try $0.execute(sql: "UPDATE terminal SET epoch = 9") }
        }
        #expect(refused == nil)
        #expect(try await store.number("SELECT epoch FROM terminal") == 1)
        store.database.close()
        let late = await reads.around { [database = store.database] in
            try? await database.read { try Int64.fetchOne($0, sql: "SELECT 1") }
        }
        #expect(late == nil)
        // The last connection to go has written the log into the database.
        #expect(!store.home.exists("terminal.sqlite-wal"))
    }

    @Test("A long list is read a portion at a time, page by page to its end")
    func portions() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...120)
        let archive = SQLiteOrderArchive(store.database)
        let reads = Reads()
        let all = await reads.around {
            try? await archive.orders(matching: OrderSearch(), limit: 1_000, before: nil)
        }
        #expect(all?.map(\.sale.orderId) == sales.reversed().map(\.orderId))
        #expect(reads.count.withLock { $0 } == 3)
        var pages: [String] = []
        while true {
            let page = try await archive.orders(matching: OrderSearch(), limit: 50, before: pages.last)
            pages += page.map(\.sale.orderId)
            if page.count < 50 { break }
        }
        #expect(pages == sales.reversed().map(\.orderId))
        #expect(try await archive.orders(matching: OrderSearch(), limit: 5, before: "nothing").isEmpty)
    }

    @Test("A pull in the background reads beside sales, and writes on the connection that writes")
    func pull() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        // More rows than one transaction has, so that a checkpoint follows.
        let changes = (1...150).map { index in
            let record = ProductRecord(
                sku: "S\(index)", barcode: "b-\(index)", name: "Article", department: "d", priceMinor: 100,
                currency: "CNY", taxBasisPoints: 900, unit: .each, stockMilli: 1000)
            return Change(
                entity: "product", entityId: record.sku, version: 1, isDeleted: false, deletedAt: nil,
                hlc: "h", origin: nil, value: record.json)
        }
        let count = try await Reads().around { () -> Result<Int, any Error> in
            do {
                try await catalogue.apply(ChangePage(changes: changes, cursor: "1", hasMore: false))
                return .success(try await catalogue.count())
            } catch {
                return .failure(error)
            }
        }.get()
        #expect(count == 150)
    }

    @Test("What the hub responded is written without a sync of its own, a sale and an epoch with one")
    func syncs() async throws {
        let store = try await StoreFixture()
        // What the connection does at its next commit: 1 writes, 2 syncs.
        try await store.database.access { connection in
            try connection.execute(
                sql: """
                    CREATE TEMP TABLE levels (at TEXT, level INTEGER);
                    CREATE TEMP TRIGGER sold AFTER INSERT ON journal
                        BEGIN INSERT INTO levels SELECT 'sale', synchronous FROM pragma_synchronous; END;
                    CREATE TEMP TRIGGER answered AFTER UPDATE ON journal
                        BEGIN INSERT INTO levels SELECT 'result', synchronous FROM pragma_synchronous; END;
                    CREATE TEMP TRIGGER moved AFTER UPDATE OF epoch ON terminal
                        BEGIN INSERT INTO levels SELECT 'epoch', synchronous FROM pragma_synchronous; END;
                    """)
        }
        let outbox = SQLiteOutbox(store.database)
        let first = try #require(try await store.sell(1...1).first)
        try await outbox.note(problem: "{}", of: first.mutationId)
        try await outbox.record(
            [PushResult(id: first.mutationId, outcome: .applied, document: "{}")], acknowledgedThrough: 1)
        try await outbox.adopt(epoch: 2, headSequence: 1, headHash: "", headOrderNumber: nil)
        try await store.sell(2...2)
        let levels = try await store.database.access { connection in
            try Row.fetchAll(connection, sql: "SELECT at, level FROM levels").map {
                "\($0["at"] as String) \($0["level"] as Int64)"
            }
        }
        #expect(levels == ["sale 2", "result 1", "result 1", "epoch 2", "sale 2"])
    }
}
