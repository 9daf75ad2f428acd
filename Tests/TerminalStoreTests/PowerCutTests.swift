import OfflineCore
import Retail
import Testing

@testable import TerminalStore

@Suite("A power cut")
struct PowerCutTests {
    private static let files = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"]

    /// The content of a copied data folder: the orders, and every trace of half a sale.
    private func examine(_ home: TemporaryHome) async throws -> (orders: Int64, problems: [String]) {
        let store = try await StoreFixture(home: home, enrolled: false)
        defer { store.database.close() }
        var problems = await store.database.verify()
        let counts = [
            "SELECT count(*) FROM journal", "SELECT count(*) FROM journal WHERE verdict IS NULL",
            "SELECT pending FROM terminal", "SELECT sequence FROM terminal",
            "SELECT COALESCE(-sum(delta_milli), 0) / 2000 FROM \(StoreFixture.moves)",
        ]
        let orders = try await store.number("SELECT count(*) FROM orders")
        for sql in counts where try await store.number(sql) != orders { problems.append(sql) }
        return (orders, problems)
    }

    @Test("at any byte of the log leaves every sale whose end was reached, and no part of another")
    func cutLog() async throws {
        let store = try await StoreFixture()
        var ends = [try store.home.read("terminal.sqlite-wal").count]
        for number in UInt64(1)...5 {
            try await store.sell(number...number)
            ends.append(try store.home.read("terminal.sqlite-wal").count)
        }
        let log = try store.home.read("terminal.sqlite-wal")
        var lengths = Array(stride(from: ends[0], through: log.count, by: 3001))
        lengths += ends.flatMap { [$0 - 1, $0, $0 + 1] }.filter { $0 >= ends[0] && $0 <= log.count }
        for length in lengths {
            let copy = try store.home.copy(Self.files)
            try copy.write(Array(log.prefix(length)), to: "terminal.sqlite-wal")
            let (orders, problems) = try await examine(copy)
            #expect(orders == Int64(ends.count(where: { $0 <= length }) - 1), "cut at \(length)")
            #expect(problems == [], "cut at \(length)")
        }
    }

    @Test("that garbles the log's end loses nothing before it")
    func garbledLog() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...3)
        let acknowledged = try store.home.read("terminal.sqlite-wal").count
        try await store.sell(4...4)
        for offset in stride(
            from: acknowledged, to: try store.home.read("terminal.sqlite-wal").count, by: 3001)
        {
            let copy = try store.home.copy(Self.files)
            var log = try copy.read("terminal.sqlite-wal")
            log[offset] ^= 0xFF
            try copy.write(log, to: "terminal.sqlite-wal")
            let (orders, problems) = try await examine(copy)
            #expect(orders == 3 || orders == 4)
            #expect(problems == [])
        }
    }

    @Test("in the middle of selling leaves every sale that had a response before it")
    func whileSelling() async throws {
        let store = try await StoreFixture()
        let selling = Task { try await store.sell(1...400) }
        for _ in 0..<10 {
            let responded = try await store.number("SELECT count(*) FROM orders")
            let copy = try store.home.copy(Self.files)
            let (orders, problems) = try await examine(copy)
            #expect(orders >= responded)
            #expect(problems == [])
        }
        _ = try await selling.value
    }
}
