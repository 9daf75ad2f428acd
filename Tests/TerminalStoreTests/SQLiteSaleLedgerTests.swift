import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("The sale ledger")
struct SQLiteSaleLedgerTests {
    @Test("a sale is read back exactly as it was written, after a restart too")
    func roundTrip() async throws {
        let store = try await StoreFixture()
        let draft = try StoreFixture.draft(1)
        let committed = try await store.ledger.commit(draft)
        #expect(committed.sale.content == draft.content)
        #expect(committed.sale.orderNumber.description == "north-7-3-20261121-0001")
        #expect(committed.durable > .zero)
        store.database.close()
        let again = try await StoreFixture(home: store.home, enrolled: false)
        #expect(try await again.ledger.sale(key: draft.key) == committed.sale)
        #expect(try await again.ledger.sale(key: StoreFixture.key(2)) == nil)
    }

    @Test("one sale is one order, its stock and one journal entry that waits for the hub")
    func rows() async throws {
        let store = try await StoreFixture()
        try await store.sell(1...3)
        #expect(try await store.number("SELECT count(*) FROM orders") == 3)
        #expect(try await store.number("SELECT count(*) FROM journal WHERE verdict IS NULL") == 3)
        #expect(
            try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves) WHERE sku = 'S1'")
                == -6000)
        #expect(try await store.number("SELECT count(*) FROM \(StoreFixture.moves) WHERE sku = 'S2'") == 0)
        #expect(try await store.number("SELECT pending FROM terminal") == 3)
        #expect(await store.database.verify() == [])
    }

    @Test("the journal's mutation has the shape of a sale in http.md")
    func mutation() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...2)
        let items = try await SQLiteOutbox(store.database).pending(after: 0, limit: 10)
        let mutations = try items.map { try Mutation(json: try JSONParser.parse($0.body)) }
        #expect(mutations.map(\.sequence) == [1, 2])
        #expect(mutations[0].previousHash == Mutation.genesisHash)
        #expect(mutations[1].previousHash == mutations[0].hash)
        #expect(mutations.allSatisfy { $0.hash == $0.computedHash })
        #expect(items.map(\.body) == mutations.map(\.json.canonicalBytes))
        #expect(items.map(\.orderingKey) == sales.map(\.mutationId))
        let payload = mutations[0].payload
        #expect(mutations[0].type == "order.completed")
        #expect(mutations[0].entityId == sales[0].orderId)
        #expect(payload["orderNumber"]?.string == "north-7-3-20261121-0001")
        #expect(payload["businessDay"]?.string == "2026-11-21")
        #expect(payload["total"]?.integer == 656)
        #expect(payload["tax"]?.integer == 68)
        #expect(payload["change"]?.integer == 344)
        #expect(payload["payments"] == [["method": "cash", "amount": 1000]])
        #expect(
            payload["lines"]?.array?.first == [
                "sku": "S1", "barcode": "4006381333931", "name": "Milk \"1l\" 牛奶", "quantityMilli": 2000,
                "unitPrice": 125, "discount": 10, "discountReason": "old", "total": 240,
                "taxBasisPoints": 900,
            ])
        #expect(payload["coupons"] == ["A", "\"B\""])
        #expect(payload["memberId"]?.string == "m1")
    }

    @Test("the same key again records nothing and returns the first sale, even with other content")
    func sameKey() async throws {
        let store = try await StoreFixture()
        let first = try await store.ledger.commit(try StoreFixture.draft(1)).sale
        let again = try await store.ledger.commit(try StoreFixture.draft(1, mode: .offline))
        #expect(again.sale == first)
        #expect(again.durable == .zero)
        #expect(try await store.number("SELECT count(*) FROM journal") == 1)
        #expect(try await store.number("SELECT order_counter FROM terminal") == 1)
    }

    @Test("identifiers stay in the journal's order when the clock steps back")
    func clockStepsBack() async throws {
        let store = try await StoreFixture()
        var ids: [String] = []
        for (number, time) in [StoreFixture.noon, StoreFixture.noon - 86_400_000, 5, -1].enumerated() {
            let sale = try await store.ledger.commit(try StoreFixture.draft(UInt64(number), at: time)).sale
            ids += [sale.orderId, sale.mutationId]
        }
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 8)
    }

    @Test("the business day never goes back, and its counter starts again with a later one")
    func businessDay() async throws {
        let store = try await StoreFixture()
        var numbers: [String] = []
        for (number, day) in [20_261_121, 20_261_120, 20_261_121, 20_261_122, 20_261_121].enumerated() {
            let draft = try StoreFixture.draft(UInt64(number), day: Int64(day))
            numbers.append(try await store.ledger.commit(draft).sale.orderNumber.description)
        }
        #expect(
            numbers.map { $0.dropFirst("north-7-3-202611".count) } == [
                "21-0001", "21-0002", "21-0003", "22-0001", "22-0002",
            ])
    }

    @Test("a terminal without a store sells nothing")
    func notEnrolled() async throws {
        let store = try await StoreFixture(enrolled: false)
        await #expect(throws: StorageError.notEnrolled) {
            try await store.ledger.commit(try StoreFixture.draft(1))
        }
        #expect(try await store.number("SELECT count(*) FROM journal") == 0)
    }

    @Test("cancelling the caller does not undo a sale")
    func cancelled() async throws {
        let store = try await StoreFixture()
        for number in UInt64(1)...20 {
            let draft = try StoreFixture.draft(number)
            let caller = Task { try await store.ledger.commit(draft) }
            caller.cancel()
            #expect(try await caller.value.sale.key == draft.key)
        }
        #expect(try await store.number("SELECT count(*) FROM orders") == 20)
    }

    @Test("many tills' worth of sales at once are one chain")
    func concurrent() async throws {
        let store = try await StoreFixture()
        let numbers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in UInt64(1)...300 {
                group.addTask {
                    try await store.ledger.commit(try StoreFixture.draft(number)).sale.orderNumber
                        .description
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(numbers.count == 300)
        #expect(await store.database.verify() == [])
    }

    @Test("the day of a wrong clock moves the numbers permanently, and the business day for that sale only")
    func wrongClock() async throws {
        let store = try await StoreFixture()
        let facts = SQLiteTerminalFacts(store.database)
        let year: Int64 = 365 * 86_400_000
        _ = try await store.ledger.commit(
            try StoreFixture.draft(1, at: StoreFixture.noon + 3 * year, day: 20_291_120))
        // It is unknown which clock is right, so the day does not go back.
        _ = try await store.ledger.commit(try StoreFixture.draft(2))
        try await facts.keep(hubTime: StoreFixture.noon - 3_600_000)
        let sale = try await store.ledger.commit(try StoreFixture.draft(3)).sale
        #expect(sale.orderNumber.description == "north-7-3-20291120-0003")
        // A clock that lost its battery: the hub's time shows that it is later.
        _ = try await store.ledger.commit(try StoreFixture.draft(4, at: 86_400_000, day: 19_700_102))
        let bodies = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.body)
        let days = try bodies.map { try JSONParser.parse($0)["payload"]?["businessDay"]?.string }
        #expect(days == ["2029-11-20", "2029-11-20", "2026-11-21", "2026-11-21"])
    }

    @Test("a clock that goes back by up to two days changes no business day")
    func smallStep() async throws {
        let store = try await StoreFixture()
        try await SQLiteTerminalFacts(store.database).keep(hubTime: StoreFixture.noon)
        for (number, day) in [(1, 20_261_123), (2, 20_261_121)] as [(UInt64, Int64)] {
            _ = try await store.ledger.commit(try StoreFixture.draft(number, day: day))
        }
        let bodies = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.body)
        let days = try bodies.map { try JSONParser.parse($0)["payload"]?["businessDay"]?.string }
        #expect(days == ["2026-11-23", "2026-11-23"])
    }

    @Test("while the hub's time is known the business day is the true one, whatever a wrong clock did before")
    func trueDay() async throws {
        let store = try await StoreFixture()
        let ahead = try StoreFixture.draft(1, at: StoreFixture.noon + 7_200_000, day: 20_261_122)
        _ = try await store.ledger.commit(ahead)
        store.hub.milliseconds = StoreFixture.noon
        let sale = try await store.ledger.commit(try StoreFixture.draft(2)).sale
        #expect(sale.orderNumber.description == "north-7-3-20261122-0002")
        let bodies = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.body)
        let payloads = try bodies.compactMap { try JSONParser.parse($0)["payload"] }
        #expect(payloads.map { $0["businessDay"]?.string } == ["2026-11-22", "2026-11-21"])
        #expect(payloads.allSatisfy { $0.object?.keys.contains("hubTime") == true })
        let times = payloads.map { $0["hubTime"]?.string }
        #expect(times == [nil, Timestamp.text(milliseconds: StoreFixture.noon)])
    }

    @Test("the hub's time is kept with the machine's moment, and a text that is none is not read")
    func keptTime() async throws {
        let store = try await StoreFixture()
        let facts = SQLiteTerminalFacts(store.database)
        let known = KnownHubTime(
            hub: StoreFixture.noon, at: MachineMoment(wall: 5, boot: 7, bootId: "a-b"))
        try await facts.keep(hubTime: known)
        let found = try await facts.hubTime()
        #expect(found == known)
        try await facts.keep("7 -1 a-b", as: "hubTimeAt")
        let ofOtherBoot = try await facts.hubTime()
        #expect(ofOtherBoot?.at.bootId.isEmpty == true)
        try await facts.keep("\(Int64.max)", as: "hubTime")
        let none = try await facts.hubTime()
        #expect(none == nil)
    }
}

extension SQLiteTerminalFacts {
    /// Keeps `milliseconds` as of an unknown boot.
    func keep(hubTime milliseconds: Int64) async throws {
        try await keep(
            hubTime: KnownHubTime(hub: milliseconds, at: MachineMoment(wall: 0, boot: 0, bootId: "")))
    }
}
