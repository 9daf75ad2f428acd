import Retail
import Testing

@testable import TerminalStore

@Suite("Order numbers")
struct OrderNumberReserveTests {
    private static let files = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"]

    private func numbers(_ store: StoreFixture, _ keys: ClosedRange<UInt64>) async throws -> [Int64] {
        try await store.sell(keys).map(\.orderNumber.counter)
    }

    @Test("go on without a gap after a clean end")
    func cleanEnd() async throws {
        let store = try await StoreFixture()
        #expect(try await numbers(store, 1...3) == [1, 2, 3])
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        #expect(try await numbers(again, 4...5) == [4, 5])
    }

    @Test("do not repeat when an old copy of the database is put back")
    func restored() async throws {
        let store = try await StoreFixture()
        let before = try await numbers(store, 1...5)
        let backup = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal"])
        let lost = try await numbers(store, 6...300)
        try backup.write(store.home.read("high-water.json"), to: "high-water.json")
        let restored = try await StoreFixture(home: backup, enrolled: false)
        let after = try await numbers(restored, 1000...1200)
        #expect(Set(before + lost).isDisjoint(with: after))
        #expect(Set(after).count == 201)
    }

    @Test("do not repeat after a restore that follows a clean end")
    func restoredAfterCleanEnd() async throws {
        let store = try await StoreFixture()
        let backup = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal"])
        let lost = try await numbers(store, 1...7)
        store.database.close()
        try backup.write(store.home.read("high-water.json"), to: "high-water.json")
        let restored = try await StoreFixture(home: backup, enrolled: false)
        #expect(Set(lost).isDisjoint(with: try await numbers(restored, 1000...1001)))
    }

    @Test("never repeat when the same copy of a data folder is put back again and again, in whatever seconds")
    func sameCopyTwice() async throws {
        let store = try await StoreFixture(now: StoreFixture.noon)
        _ = try await numbers(store, 1...3)
        store.database.close()
        var used: Set<Int64> = [1, 2, 3]
        for second in [0, 1, 2, 3, 59, 60, 3_600, 42_000] as [Int64] {
            let copy = try store.home.copy(Self.files)
            let life = try await StoreFixture(
                home: copy, enrolled: false, now: StoreFixture.noon + second * 1_000)
            let next = try await numbers(life, 10...20)
            #expect(used.isDisjoint(with: next))
            used.formUnion(next)
        }
    }

    @Test("of the next day do not repeat when a copy of the day before is put back, once or twice")
    func copyOfYesterday() async throws {
        let day: Int64 = 20_261_122
        func sell(_ keys: ClosedRange<UInt64>, at store: StoreFixture) async throws -> [OrderNumber] {
            var numbers: [OrderNumber] = []
            for key in keys {
                let draft = try StoreFixture.draft(key, at: StoreFixture.noon + 86_400_000, day: day)
                numbers.append(try await store.ledger.commit(draft).sale.orderNumber)
            }
            return numbers
        }
        let store = try await StoreFixture(now: StoreFixture.noon)
        _ = try await numbers(store, 1...3)
        store.database.close()
        let copies = try (0..<2).map { _ in try store.home.copy(Self.files) }
        let original = try await StoreFixture(
            home: store.home, enrolled: false, now: StoreFixture.noon + 80_000_000)
        var used = try await sell(4...9, at: original)
        #expect(used.map(\.counter) == Array(1...6))
        for (number, copy) in copies.enumerated() {
            let now = StoreFixture.noon + 86_400_000 + Int64(number) * 1_000
            let life = try await StoreFixture(home: copy, enrolled: false, now: now)
            used += try await sell(10...15, at: life)
        }
        #expect(Set(used).count == used.count)
    }

    @Test("of two copies leave each other room: for a second's sales, and after a minute for a busy day's")
    func room() {
        let mark = OrderMark(day: 20_261_121, counter: 7)
        let first = mark.leaptApart(at: 58_999, chance: OrderMark.drawn - 1)
        #expect(mark.leaptApart(at: 59_000, chance: 0).counter - first.counter > 1_000)
        let latest = mark.leaptApart(at: 999, chance: OrderMark.drawn - 1)
        #expect(mark.leaptApart(at: 60_000, chance: 0).counter - latest.counter > 10_000)
        #expect(mark.leaptApart(at: 86_399_999, chance: OrderMark.drawn - 1).counter < OrderMark.adoptable)
        #expect(OrderMark.none.leaptApart(at: 60_000, chance: 5) == .none)
    }

    @Test("leap ahead when their file is lost or corrupt at any byte")
    func corrupt() async throws {
        let store = try await StoreFixture()
        let used = try await numbers(store, 1...3)
        let whole = try store.home.read("high-water.json")
        for length in -1..<(whole.count - 1) {
            let copy = try store.home.copy(Self.files)
            if length < 0 { try copy.remove("high-water.json") }
            if length >= 0 { try copy.write(Array(whole.prefix(length)), to: "high-water.json") }
            let again = try await StoreFixture(home: copy, enrolled: false)
            let next = try await numbers(again, 10...10)
            #expect(next.allSatisfy { $0 > 3 + OrderMark.leap })
            #expect(Set(used).isDisjoint(with: next))
            #expect(copy.exists("quarantine/high-water.json.1") == (length >= 0))
        }
    }

    @Test("are reserved ahead of their use, by complete blocks")
    func reservedAhead() async throws {
        let store = try await StoreFixture()
        for number in UInt64(1)...300 {
            let counter = try await numbers(store, number...number)[0]
            switch HighWaterFile(home: store.home.path).load(latestDay: 99_991_231) {
            // One that is replaced while it is read looks as if it came from elsewhere.
            case .mark(let mark), .copied(let mark):
                #expect(mark.counter >= counter)
                #expect(mark.counter <= counter + 2 * OrderNumberReserve.block)
            case .absent, .corrupt: Issue.record("no high-water mark")
            }
        }
    }

    private static let days = [20_261_121, 20_261_122].compactMap { BusinessDay(number: $0) }

    /// Reserves as an agent does ahead of the first sale of `day`, and waits until it is done.
    private func prepare(_ store: StoreFixture, for day: BusinessDay) async throws {
        try await store.ledger.prepare(for: day)
        while !store.database.orderNumbers.isPrepared(for: day.number) { await Task.yield() }
    }

    @Test("are reserved ahead of the first sale of a run, and of a day, which then writes no file")
    func prepared() async throws {
        let store = try await StoreFixture()
        for (number, day) in zip([1, 2] as [UInt64], Self.days) {
            try await prepare(store, for: day)
            // A file that cannot be written any more: a sale that needed it would be refused.
            let file = try store.home.read("high-water.json")
            try store.home.remove("high-water.json")
            try store.home.makeFolder("high-water.json")
            let sale = try await store.ledger.commit(try StoreFixture.draft(number, day: day.number)).sale
            #expect(sale.orderNumber.counter == 1)
            #expect(sale.orderNumber.businessDay == day)
            try store.home.remove("high-water.json")
            try store.home.write(file, to: "high-water.json")
        }
    }

    @Test("that were reserved ahead and not used are no lost sales after a kill, no gap after a clean end")
    func preparedAndUnused() async throws {
        let store = try await StoreFixture()
        #expect(try await numbers(store, 1...2) == [1, 2])
        store.database.close()
        // None of these is closed, as after a kill.
        var killed: [StoreFixture] = []
        for day in [Self.days[0], Self.days[0], Self.days[1]] {
            let next = try await StoreFixture(home: store.home, enrolled: false)
            #expect(try await next.number("SELECT count(*) FROM facts WHERE name = 'journalLoss'") == 0)
            try await prepare(next, for: day)
            killed.append(next)
        }
        for next in killed { next.database.close() }
        let clean = try await StoreFixture()
        try await prepare(clean, for: Self.days[0])
        clean.database.close()
        let again = try await StoreFixture(home: clean.home, enrolled: false)
        #expect(try await numbers(again, 1...2) == [1, 2])
    }

    @Test("a till that cannot reserve does not sell")
    func cannotReserve() async throws {
        let store = try await StoreFixture()
        try store.home.makeFolder("high-water.json")
        await #expect(throws: (any Error).self) { try await store.sell(1...1) }
        #expect(try await store.number("SELECT count(*) FROM journal") == 0)
    }

    @Test("behind a mark of 2036 a sale counts to the store's own day, whose hour the mark does not know")
    func dayOfTheStore() throws {
        // 2026-11-23 01:03:00 in UTC; a store there, whose day begins at 04:00, has still the 22nd.
        let night: Int64 = 1_795_395_780_000
        let mark = OrderMark(day: 20_361_119, counter: 4)
        let store = try #require(BusinessDay(number: 20_261_122))
        #expect(mark.businessDay(today: store, madeAt: night, hubTime: night) == store)
        #expect(mark.businessDay(today: store, madeAt: night, hubTime: night - 3_600_000) == store)
        // A clock that is a day and a half behind the hub's.
        let behind = try #require(BusinessDay(number: 20_261_121))
        #expect(
            mark.businessDay(today: behind, madeAt: night - 129_600_000, hubTime: night)
                == BusinessDay(number: 20_261_122))
        // A clock without a battery.
        let dead = try #require(BusinessDay(number: 19_700_101))
        #expect(mark.businessDay(today: dead, madeAt: 86_410_000, hubTime: night) == store)
    }
}
