import GRDB
import Retail
import Testing

@testable import TerminalStore

@Suite("Order numbers from outside")
struct OrderNumberRepairTests {
    /// The day of the fixture's sales is 2026-11-21 and their clock has the same day in UTC.
    private static let today: Int64 = 20_261_121

    private func adopt(_ number: String, in store: StoreFixture) async throws {
        try await SQLiteOutbox(store.database).adopt(
            epoch: 2, headSequence: 9, headHash: "", headOrderNumber: number)
    }

    private func leap(_ store: StoreFixture) async throws -> OrderNumberLeap? {
        try await SQLiteTerminalFacts(store.database).orderNumberLeap()
    }

    @Test(
        "a head of this terminal is adopted, at the edge of what is plausible too",
        arguments: [
            ("north-7-3-20261121-0500", 500), ("north-7-3-20261121-999999999", 999_999_999),
            ("north-7-3-20261123-0007", 7), ("north-7-3-20261120-0900", nil),
        ])
    func adopted(number: String, used: Int64?) async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...1)
        try await adopt(number, in: store)
        let next = try await store.sell(2...2)[0].orderNumber.counter
        // Another copy of this terminal used the number and may go on behind it.
        #expect(used.map { next > $0 + OrderMark.leap } ?? (next == 2))
        #expect(try await leap(store) == nil)
    }

    @Test(
        "any other head makes the counter leap, is reported, and sales go on",
        arguments: [
            "S1-1-99991231-9223372036854775807", "north-7-3-99991231-0001", "north-7-3-20261124-0001",
            "north-7-3-20261121-1000000000", "north-7-3-20261121-9223372036854775807",
            "north-7-3-20261121-9223372036854770807", "north-7-3-20261121-9007199254740992",
            "north-7-4-20261121-0500", "south-7-3-20261121-0500", "north-7-3-20261399-1", "north-7-3",
            "north-7-3-20261121--5", "north-7-3-20261121-+5", "", "\u{1B}[2J",
        ])
    func leaps(number: String) async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...1)
        try await adopt(number, in: store)
        let sale = try await store.sell(2...2)[0]
        #expect(sale.orderNumber.businessDay.number == Self.today)
        #expect(sale.orderNumber.counter == 1 + OrderMark.leap + 1)
        let leap = try #require(try await leap(store))
        #expect(leap.reason == .headNotBelieved)
        #expect(leap.number == number)
        #expect(leap.at == StoreFixture.noon)
    }

    @Test("a thousand absurd heads neither stop the sales nor bring the counter near its end")
    func manyHeads() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...1)
        for _ in 0..<1000 { try await adopt("north-7-3-20261121-9223372036854775807", in: store) }
        #expect(try await store.sell(2...2)[0].orderNumber.counter == 1 + 1000 * OrderMark.leap + 1)
    }

    @Test(
        "a database that an earlier version let such a number into sells again from the next start on",
        arguments: [
            OrderMark(day: 99_991_231, counter: .max), OrderMark(day: 99_991_231, counter: 5),
            OrderMark(day: 20_261_121, counter: .max), OrderMark(day: 20_261_121, counter: .max - 5000),
            OrderMark(day: 20_261_121, counter: OrderMark.ceiling + 1),
            OrderMark(day: 20_261_124, counter: 1),
            OrderMark(day: -1, counter: 1), OrderMark(day: 20_261_121, counter: -7),
        ])
    func poisoned(mark: OrderMark) async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...3)
        try await poison(store, mark)
        let again = try await StoreFixture(home: store.home, enrolled: false, now: StoreFixture.noon)
        let sales = try await again.sell(4...5)
        #expect(sales.map(\.orderNumber.counter) == [3 + OrderMark.leap + 1, 3 + OrderMark.leap + 2])
        #expect(sales.allSatisfy { $0.orderNumber.businessDay.number == Self.today })
        #expect(try await leap(again)?.reason == .recovered)
        again.database.close()
        let third = try await StoreFixture(home: store.home, enrolled: false, now: StoreFixture.noon)
        #expect(try await third.sell(6...6)[0].orderNumber.counter == 3 + OrderMark.leap + 3)
    }

    @Test("an absurd high-water file is put aside, and the counter leaps")
    func poisonedFile() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...3)
        try HighWaterFile(home: store.home.path).save(OrderMark(day: 99_991_231, counter: .max))
        store.database.close()
        try HighWaterFile(home: store.home.path).save(OrderMark(day: 99_991_231, counter: .max))
        let again = try await StoreFixture(home: store.home, enrolled: false, now: StoreFixture.noon)
        #expect(try await again.sell(4...4)[0].orderNumber.counter > 3 + OrderMark.leap)
        #expect(store.home.exists("quarantine/high-water.json.1"))
    }

    @Test("a clock that was set back far takes no number for an absurd one")
    func clockSetBack() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...3)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: 0)
        #expect(try await again.sell(4...4)[0].orderNumber.counter == 4)
        #expect(try await leap(again) == nil)
    }

    @Test("numbers that were sold on a day to come are not sold again when it comes")
    func dayToCome() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...1)
        // As the version before did after it had adopted the head `north-7-3-20270101-0001`.
        try await poison(store, OrderMark(day: 20_270_101, counter: 1), closing: false)
        let ahead = try await store.sell(2...4)
        #expect(ahead.map(\.orderNumber.businessDay.number) == [20_270_101, 20_270_101, 20_270_101])
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false, now: StoreFixture.noon)
        #expect(try await again.sell(5...5)[0].orderNumber.businessDay.number == Self.today)
        let draft = try StoreFixture.draft(6, day: 20_270_101)
        let sale = try await again.ledger.commit(draft).sale
        #expect(sale.orderNumber.businessDay.number == 20_270_101)
        #expect(!ahead.map(\.orderNumber).contains(sale.orderNumber))
        #expect(sale.orderNumber.counter == 5)
    }

    @Test("at the end of a day's numbers a sale is refused and nothing is recorded; the next day sells")
    func ceiling() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        try await store.sell(1...1)
        try await poison(store, OrderMark(day: Self.today, counter: OrderMark.ceiling - 1), closing: false)
        #expect(try await store.sell(2...2)[0].orderNumber.counter == OrderMark.ceiling)
        await #expect(throws: StorageError.self) { try await store.sell(3...3) }
        #expect(try await store.number("SELECT count(*) FROM journal") == 2)
        let sale = try await store.ledger.commit(try StoreFixture.draft(4, day: Self.today + 1)).sale
        #expect(sale.orderNumber.counter == 1)
    }

    private func poison(_ store: StoreFixture, _ mark: OrderMark, closing: Bool = true) async throws {
        try await store.database.write { connection in
            try connection.execute(
                sql: "UPDATE terminal SET business_day = ?, order_counter = ?",
                arguments: [mark.day, mark.counter])
        }
        if closing { store.database.close() }
    }
}
