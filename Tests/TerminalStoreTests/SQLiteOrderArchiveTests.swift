import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("The orders on disk")
struct SQLiteOrderArchiveTests {
    private func entry(day: Int64 = 20_261_121) throws -> VoidEntry {
        VoidEntry(
            mode: .offline, madeAt: StoreFixture.noon + 60_000,
            businessDay: try #require(BusinessDay(number: day)), cashierId: "c2", reason: "wrong size")
    }

    @Test("are listed newest first and found by id and by number")
    func find() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...3)
        let archive = SQLiteOrderArchive(store.database)
        #expect(
            try await archive.orders(matching: OrderSearch(), limit: 2, before: nil).map(\.sale) == [
                sales[2], sales[1],
            ])
        #expect(try await archive.order(sales[0].orderId)?.sale == sales[0])
        #expect(try await archive.order("north-7-3-20261121-0002")?.sale == sales[1])
        #expect(try await archive.order("nothing") == nil)
    }

    @Test(
        "are found by every condition, the newest first",
        arguments: [
            ("number 0002", [2]), ("number NORTH-7", [3, 2, 1]), ("short", [2]), ("amount", [3, 2, 1]),
            ("other amount", []), ("sku", [3, 2, 1]), ("name", [3, 2, 1]), ("other article", []),
            ("member", []), ("from", [3, 2, 1]), ("from later", []), ("to", [3, 2, 1]), ("to before", []),
        ])
    func search(_ condition: String, _ counters: [Int64]) async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...3)
        let archive = SQLiteOrderArchive(store.database)
        var search = OrderSearch()
        switch condition {
        case "number 0002": search.number = "0002"
        case "number NORTH-7": search.number = "NORTH-7"
        case "short": search.number = sales[1].shortCode?.lowercased()
        case "amount": search.amount = sales[0].content.totals.total
        case "other amount": search.amount = sales[0].content.totals.total + 1
        case "sku": search.article = sales[0].content.lines[0].sku
        case "name": search.article = String(sales[0].content.lines[0].name.uppercased().prefix(3))
        case "other article": search.article = "nothing like it"
        case "member": search.member = "nobody"
        case "from": search.from = BusinessDay("2026-11-21")
        case "from later": search.from = BusinessDay("2026-11-22")
        case "to": search.to = BusinessDay("2026-11-21")
        default: search.to = BusinessDay("2026-11-20")
        }
        let found = try await archive.orders(matching: search, limit: 10, before: nil)
        #expect(found.map(\.sale.orderNumber.counter) == counters)
        #expect(
            try await archive.orders(matching: search, limit: 1, before: nil).count == min(1, counters.count))
    }

    @Test("a day is four, two and two digits", arguments: ["2026-11-2", "2026-13-01", "20261121", "x", ""])
    func malformedDay(_ text: String) {
        #expect(BusinessDay(text) == nil)
        #expect(BusinessDay("2026-11-21")?.number == 20_261_121)
    }

    @Test("a void follows its order under the same ordering key, and the stock comes back once")
    func void() async throws {
        let store = try await StoreFixture()
        let sales = try await store.sell(1...2)
        let archive = SQLiteOrderArchive(store.database)
        let voided = try await archive.void(orderId: sales[0].orderId, with: try entry())
        #expect(voided.sale.voidedAt == StoreFixture.noon + 60_000)
        _ = try await archive.void(orderId: sales[0].orderId, with: try entry())
        #expect(
            try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves) WHERE delta_milli > 0")
                == 2000)
        let items = try await SQLiteOutbox(store.database).pending(after: 2, limit: 10)
        #expect(items.map(\.type) == ["order.voided"])
        #expect(items[0].orderingKey == sales[0].mutationId)
        let mutation = try Mutation(json: try JSONParser.parse(items[0].body))
        #expect(mutation.dependsOn == [sales[0].mutationId])
        #expect(mutation.entityId == sales[0].orderId)
        #expect(mutation.payload["reason"]?.string == "wrong size")
        #expect(
            mutation.payload["lines"] == [
                ["sku": "S1", "quantityMilli": 2000], ["sku": "S2", "quantityMilli": 1250],
            ])
        #expect(await store.database.verify() == [])
    }

    @Test("a card on a voided order is voided in the same transaction and under the same ordering key")
    func voidCard() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        let intent = try await intents.open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY"),
            at: StoreFixture.noon)
        let sale = try await store.ledger.commit(
            try StoreFixture.draft(
                1, orderId: intent.orderId,
                card: CardApproval(authorizationKey: intent.key, approvalCode: "A1"))
        ).sale
        _ = try await SQLiteOrderArchive(store.database).void(orderId: sale.orderId, with: try entry())
        let items = try await SQLiteOutbox(store.database).pending(after: 1, limit: 10)
        #expect(items.map(\.type) == ["order.voided", "payment.voided"])
        #expect(Set(items.map(\.orderingKey)) == [sale.mutationId])
        let payload = try Mutation(json: try JSONParser.parse(items[1].body)).payload
        #expect(payload["key"]?.string == intent.key)
        #expect(payload["amount"]?.integer == 656)
    }

    @Test("the state shown is that of the newest mutation of the order")
    func syncState() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        let outbox = SQLiteOutbox(store.database)
        #expect(try await archive.order(sale.orderId)?.sync == .pending)
        try await outbox.record(
            [PushResult(id: sale.mutationId, outcome: .applied, document: "{}")], acknowledgedThrough: 1)
        #expect(try await archive.order(sale.orderId)?.sync == .acknowledged)
        #expect(try await archive.void(orderId: sale.orderId, with: try entry()).sync == .pending)
        let voidId = try await outbox.pending(after: 1, limit: 1)[0].id
        try await outbox.record(
            [PushResult(id: voidId, outcome: .conflict, document: "{}")], acknowledgedThrough: 2)
        #expect(try await archive.order(sale.orderId)?.sync == .conflicted)
    }
}
