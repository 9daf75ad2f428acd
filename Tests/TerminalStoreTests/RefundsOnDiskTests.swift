import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("Refunds on disk")
struct RefundsOnDiskTests {
    private func entry(_ number: UInt64, _ items: [RefundEntry.Item] = []) throws -> RefundEntry {
        RefundEntry(
            key: ULID(high: 9, low: number), items: items, mode: .offline,
            madeAt: StoreFixture.noon + 60_000,
            businessDay: try #require(BusinessDay(number: 20_261_121)), cashierId: "c2", reason: "dented",
            smallestCoin: 1, timeZone: "Europe/Berlin", attachments: [])
    }

    /// A sale that the hub applied, with a complete refund that the hub refused.
    private func refused(
        as outcome: PushResult.Outcome
    ) async throws -> (store: StoreFixture, sale: Sale, refundId: String) {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        _ = try await SQLiteOrderArchive(store.database).refund(
            RefundDraft(of: .order(sale.orderId), with: try entry(1)))
        let outbox = SQLiteOutbox(store.database)
        let id = try #require(try await outbox.pending(after: 1, limit: 1).first?.id)
        try await outbox.record(
            [
                PushResult(id: sale.mutationId, outcome: .applied, document: "{}"),
                PushResult(id: id, outcome: outcome, document: "{}"),
            ], acknowledgedThrough: 2)
        return (store, sale, id)
    }

    @Test(
        "a refund follows its order under the same ordering key, its stock comes back, and it is read as it was"
    )
    func refund() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        let item = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        let refund = try await archive.refund(
            RefundDraft(of: .order(sale.orderId), with: try entry(1, [item]))
        ).get()
        #expect(refund.content.total == 120)
        #expect(try await archive.order(sale.orderId)?.refunds == [refund])
        #expect(
            try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves) WHERE delta_milli > 0")
                == 1_000)
        let pending = try #require(try await SQLiteOutbox(store.database).pending(after: 1, limit: 9).first)
        #expect(pending.orderingKey == sale.mutationId)
        let mutation = try Mutation(json: try JSONParser.parse(pending.body))
        #expect(mutation.type == "refund.completed")
        #expect(mutation.dependsOn == [sale.mutationId])
        #expect(mutation.entityId == refund.id)
        #expect(mutation.payload["payments"] == [["amount": 120, "method": "cash"]])
        #expect(mutation.payload["reason"] == "dented")
        #expect(await store.database.verify() == [])
    }

    @Test("the same key refunds once, and all keys together no more than was sold")
    func capped() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        let item = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        let first = try await archive.refund(
            RefundDraft(of: .order(sale.orderId), with: try entry(1, [item]))
        ).get()
        #expect(
            try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(1, [item]))).get()
                == first)
        let rest = try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(2))).get()
        #expect(first.content.total + rest.content.total == sale.content.totals.total)
        #expect(
            try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(3)))
                == .failure(.nothingLeft(orderNumber: sale.orderNumber.description)))
        #expect(try await store.number("SELECT count(*) FROM journal") == 3)
        #expect(
            try await archive.refund(RefundDraft(of: .order("nothing"), with: try entry(4)))
                == .failure(.unknownOrder("nothing")))
    }

    @Test("what was refunded is not voided, even after an earlier check")
    func notVoided() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        _ = try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(1))).get()
        let day = try #require(BusinessDay(number: 20_261_121))
        let void = VoidEntry(mode: .online, madeAt: 0, businessDay: day, cashierId: nil, reason: nil)
        #expect(try await archive.void(orderId: sale.orderId, with: void).sale.voidedAt == nil)
        #expect(try await store.number("SELECT count(*) FROM journal") == 2)
    }

    @Test("a refund that is given up stays on the books, its stock sold, and is not given twice")
    func discarded() async throws {
        let (store, sale, id) = try await refused(as: .conflict)
        let archive = SQLiteOrderArchive(store.database)
        #expect(try await archive.order(sale.orderId)?.refunds.map(\.sync) == [.conflicted])
        _ = try await Refusals(SQLiteRefusals(store.database)).discard(id, reason: "no", by: nil, at: 0)
        let refunds = try #require(try await archive.order(sale.orderId)?.refunds)
        #expect(refunds.map(\.sync) == [.discarded])
        #expect(refunds.map(\.content.total) == [sale.content.totals.total])
        #expect(try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves)") == -2_000)
        #expect(
            try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(2)))
                == .failure(.nothingLeft(orderNumber: sale.orderNumber.description)))
    }

    @Test("of an order that the hub calls void nothing more comes back, whatever became of the refusal")
    func voidedAtHub() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        let item = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        _ = try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(1, [item]))).get()
        let outbox = SQLiteOutbox(store.database)
        let id = try #require(try await outbox.pending(after: 1, limit: 1).first?.id)
        let state = #"{"orderId":"\#(sale.orderId)","state":"voided"}"#
        try await outbox.record(
            [
                PushResult(id: sale.mutationId, outcome: .applied, document: "{}"),
                PushResult(id: id, outcome: .conflict, document: #"{"serverState":\#(state)}"#),
            ], acknowledgedThrough: 2)
        let refusal = Result<Refund, OrderRefusal>.failure(
            .voidedAtHub(orderNumber: sale.orderNumber.description))
        #expect(
            try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(2, [item])))
                == refusal)
        _ = try await Refusals(SQLiteRefusals(store.database)).discard(id, reason: "no", by: nil, at: 0)
        #expect(
            try await archive.refund(RefundDraft(of: .order(sale.orderId), with: try entry(3, [item])))
                == refusal)
    }

    @Test("an edited refund counts as it was edited, and what is no refund any more is refused")
    func edited() async throws {
        let (store, sale, id) = try await refused(as: .rejected)
        let archive = SQLiteOrderArchive(store.database)
        let refusals = Refusals(SQLiteRefusals(store.database))
        var payload = try #require(try await refusals.mutation(id).payload.object)
        for (key, value) in [("lines", JSONValue.null), ("orderId", "other"), ("total", "much")] {
            var corrupt = payload
            corrupt[key] = value
            let wrong = JSONValue.object(corrupt)
            await #expect(throws: RefusalError.self) { try await refusals.resend(id, payload: wrong) }
        }
        payload["total"] = 100
        _ = try await refusals.resend(id, payload: .object(payload))
        #expect(try await archive.order(sale.orderId)?.refunds.map(\.content.total) == [100])
        #expect(await store.database.verify() == [])
    }
}
