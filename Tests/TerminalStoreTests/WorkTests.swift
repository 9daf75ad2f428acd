import Base
import GRDB
import GRDBSQLite
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

/// Counted in opcodes of SQLite's machine, not timed: a plan that reads a table shows on any machine.
@Suite("The work of the till's database")
struct WorkTests {
    /// A till with `size` articles, as many members, and as many sales that the hub has applied, of which it
    /// refused one; two more sales wait.
    private static func till(_ size: Int) async throws -> StoreFixture {
        let store = try await StoreFixture()
        let changes = (0..<size).flatMap { index in [article(index), member(index)] }
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            ChangePage(changes: changes, cursor: "c", hasMore: false))
        let sales = try await store.sell(1...UInt64(size))
        let results = sales.enumerated().map { index, sale in
            PushResult(id: sale.mutationId, outcome: index == 7 ? .rejected : .applied, document: "{}")
        }
        try await SQLiteOutbox(store.database).record(results, acknowledgedThrough: Int64(size))
        try await store.sell(UInt64(size + 1)...UInt64(size + 2))
        return store
    }

    private static func article(_ index: Int) -> Change {
        let record = ProductRecord(
            sku: "S\(index)", barcode: "b-\(index)", name: "Article", department: "d", priceMinor: 100,
            currency: "CNY", taxBasisPoints: 900, unit: .each, stockMilli: 1000)
        return change("product", record.sku, record.json)
    }

    private static func member(_ index: Int) -> Change {
        change("member", "M\(index)", ["name": "Li", "phone": .string("138000\(10_000 + index)")])
    }

    private static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil, hlc: "h",
            origin: nil, value: value)
    }

    /// What a cashier and the drainer do all day.
    private static let queries: [(name: String, query: @Sendable (StoreFixture) async throws -> Void)] = [
        ("articles of a basket", articles), ("stock", stock), ("members", members),
        ("sale", { try await $0.sell(900_001...900_001) }), ("order by its number", order),
        (
            "newest orders",
            {
                _ = try await SQLiteOrderArchive($0.database).orders(
                    matching: OrderSearch(), limit: 3, before: nil)
            }
        ),
        ("outbox", outbox), ("refusals", refusals), ("result", result), ("hub from a backup", reopened),
    ]

    @Sendable private static func articles(_ store: StoreFixture) async throws {
        let found = try await SQLiteCatalogue(store.database, now: { 0 }).products(barcodes: [
            "b-3", "b-9", "x",
        ])
        #expect(found.count == 2)
    }

    @Sendable private static func stock(_ store: StoreFixture) async throws {
        let stock = try await SQLiteCatalogue(store.database, now: { 0 }).stock(of: ["S1"])["S1"]
        #expect(stock?.milli == 1000 - 2 * 2000)
    }

    @Sendable private static func members(_ store: StoreFixture) async throws {
        let copy = SQLiteFeedCopy(store.database) { StoreFixture.noon }
        let (byPhone, byId) = (try await copy.members(phone: "138-000-10004"), try await copy.member("M5"))
        #expect(byPhone.map(\.id) == ["M4"])
        #expect(byId != nil)
    }

    @Sendable private static func order(_ store: StoreFixture) async throws {
        let order = try await SQLiteOrderArchive(store.database).order("north-7-3-20261121-0004")
        #expect(order?.sync == .acknowledged)
    }

    @Sendable private static func outbox(_ store: StoreFixture) async throws {
        let outbox = SQLiteOutbox(store.database)
        let (pending, entries) = (
            try await outbox.pending(after: 0, limit: 2), try await outbox.entries(limit: 9)
        )
        #expect(pending.count == 2)
        #expect(entries.count == 4)
    }

    @Sendable private static func refusals(_ store: StoreFixture) async throws {
        let refused = try await SQLiteRefusals(store.database).list()
        #expect(refused.count == 1)
    }

    @Sendable private static func result(_ store: StoreFixture) async throws {
        let outbox = SQLiteOutbox(store.database)
        let item = try #require(try await outbox.pending(after: 0, limit: 1).first)
        try await outbox.record(
            [PushResult(id: item.id, outcome: .applied, document: "{}")], acknowledgedThrough: item.sequence)
    }

    /// It has lost the newest entry that it had acknowledged.
    @Sendable private static func reopened(_ store: StoreFixture) async throws {
        let last = try await store.number("SELECT sequence FROM terminal")
        let count = try await SQLiteOutbox(store.database).record([], acknowledgedThrough: last - 3)
        #expect(count == 1)
    }

    @Test("costs the same with fifty times as many articles, members and orders")
    func independentOfSize() async throws {
        let (small, large) = (try await Self.till(40), try await Self.till(2000))
        for (name, query) in Self.queries {
            let few = try await small.work { try await query(small) }
            let many = try await large.work { try await query(large) }
            #expect(few > 0, "\(name)")
            #expect(many < few + few / 4 + 100, "\(name): \(few) opcodes with 40 of each, \(many) with 2000")
        }
    }

    @Test("a catalogue is rebuilt a hundred rows at a time, and the old one is erased likewise")
    func smallTransactions() async throws {
        let store = try await StoreFixture()
        let catalogue = SQLiteCatalogue(store.database, now: { 0 })
        let page = ChangePage(
            changes: (0..<450).flatMap { [Self.article($0), Self.member($0)] }, cursor: "c", hasMore: false)
        try await catalogue.apply(page)
        let most = try await store.mostRowsOfACommit {
            try await catalogue.startAgain()
            try await catalogue.apply(page)
        }
        #expect((100...110).contains(most))
        #expect(try await store.number("SELECT count(*) FROM products") == 450)
        #expect(try await store.number("SELECT count(*) FROM feed_entities") == 450)
    }
}

extension StoreFixture {
    /// How many rows the largest transaction of `body` changes.
    fileprivate func mostRowsOfACommit(_ body: () async throws -> Void) async throws -> Int {
        let counts = UnsafeMutablePointer<RowCounts>.allocate(capacity: 1)
        defer { counts.deallocate() }
        nonisolated(unsafe) let counter = counts
        try await database.access { connection in
            counter.initialize(to: RowCounts(connection: connection.sqliteConnection))
            sqlite3_commit_hook(
                connection.sqliteConnection,
                { counter in
                    counter?.assumingMemoryBound(to: RowCounts.self).pointee.note()
                    return 0
                }, counter)
        }
        try await body()
        try await database.access { _ = sqlite3_commit_hook($0.sqliteConnection, nil, nil) }
        return Int(counts.pointee.most)
    }

    /// How many opcodes SQLite ran for `body`.
    fileprivate func work(_ body: () async throws -> Void) async throws -> Int {
        let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        count.initialize(to: 0)
        defer { count.deallocate() }
        nonisolated(unsafe) let counter = count
        try await database.access { connection in
            sqlite3_progress_handler(
                connection.sqliteConnection, 1,
                { counter in
                    counter?.assumingMemoryBound(to: Int.self).pointee += 1
                    return 0
                }, counter)
        }
        try await body()
        try await database.access { sqlite3_progress_handler($0.sqliteConnection, 0, nil, nil) }
        return count.pointee
    }
}

private struct RowCounts {
    let connection: OpaquePointer?
    private var last: Int32
    private(set) var most: Int32 = 0

    init(connection: OpaquePointer?) {
        self.connection = connection
        last = sqlite3_total_changes(connection)
    }

    mutating func note() {
        let now = sqlite3_total_changes(connection)
        most = max(most, now - last)
        last = now
    }
}
