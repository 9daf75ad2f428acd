import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Refusals on disk")
struct SQLiteRefusalsTests {
    private func result(_ id: String, _ outcome: PushResult.Outcome) -> PushResult {
        PushResult(id: id, outcome: outcome, document: "{\"problem\":{\"detail\":\"no\"}}")
    }

    private func refusedSale() async throws -> (store: StoreFixture, sale: Sale) {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        try await SQLiteOutbox(store.database).record(
            [result(sale.mutationId, .rejected)], acknowledgedThrough: 1)
        return (store, sale)
    }

    @Test("a sale that is sent again keeps its number and its time, and the chain continues after it")
    func resent() async throws {
        let (store, sale) = try await refusedSale()
        let new = try await Refusals(SQLiteRefusals(store.database)).resend(sale.mutationId)
        let item = try #require(try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).first)
        let mutation = try Mutation(json: JSONParser.parse(item.body))
        #expect(item.id == new)
        #expect(item.orderingKey == sale.mutationId)
        #expect(mutation.supersedes == sale.mutationId)
        #expect(mutation.computedHash == mutation.hash)
        #expect(mutation.entityId == sale.orderId)
        let order = try #require(try await SQLiteOrderArchive(store.database).order(sale.orderId))
        #expect(order.sale.mutationId == new)
        #expect(order.sale.orderNumber == sale.orderNumber)
        #expect(order.sale.content == sale.content)
        #expect(order.sync == .pending)
        #expect(try await SQLiteOutbox(store.database).depth().rejected == 0)
        #expect(await store.database.verify() == [])
    }

    @Test(
        "a refusal is read alike from a batch's result, a duplicate and a single push's problem",
        arguments: [
            #"{"id":"x","outcome":"rejected","policy":"p","problem":{"code":"c"},"serverState":{"v":1}}"#,
            #"""
            {"id":"x","outcome":"duplicate","result":{"id":"x","outcome":"rejected","policy":"p",
            "problem":{"code":"c"},"serverState":{"v":1}}}
            """#,
            #"{"code":"c","id":"x","outcome":"rejected","policy":"p","serverState":{"v":1}}"#,
        ])
    func stored(result: String) async throws {
        let (store, sale) = try await refusedSale()
        try await store.database.write { connection in
            try connection.execute(
                sql: "UPDATE journal SET result = ? WHERE id = ?", arguments: [result, sale.mutationId])
        }
        let entry = try #require(try await Refusals(SQLiteRefusals(store.database)).list().first).entry
        #expect(entry.problem == result)
        #expect(entry.state == .rejected)
        #expect(entry.response?.problem["code"] == "c")
        #expect(entry.response?.policy == "p")
        #expect(entry.response?.serverState == ["v": 1])
    }

    @Test("an edited line moves the same counted stock again")
    func edited() async throws {
        let (store, sale) = try await refusedSale()
        let refusals = Refusals(SQLiteRefusals(store.database))
        var payload = try await refusals.mutation(sale.mutationId).payload
        var members = try #require(payload.object)
        var lines = try #require(members["lines"]?.array)
        var line = try #require(lines[0].object)
        line["quantityMilli"] = 5000
        lines[0] = .object(line)
        members["lines"] = .array(lines)
        payload = .object(members)
        _ = try await refusals.resend(sale.mutationId, payload: payload)
        #expect(try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves)") == -5000)
        // It is out of the stock as long as the new entry has no result from the hub.
        let pending = "SELECT stock_moves LIKE '%S1%' FROM journal WHERE verdict IS NULL"
        #expect(try await store.number(pending) == 1)
        let order = try #require(try await SQLiteOrderArchive(store.database).order(sale.orderId))
        #expect(order.sale.content.lines.map(\.isCounted) == [true, false])
    }

    @Test("a discarded void leaves its order as it was, and its stock sold")
    func discardedVoid() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let archive = SQLiteOrderArchive(store.database)
        let entry = VoidEntry(
            mode: .online, madeAt: StoreFixture.noon,
            businessDay: try #require(BusinessDay(number: 20_261_121)),
            cashierId: nil, reason: nil)
        _ = try await archive.void(orderId: sale.orderId, with: entry)
        let outbox = SQLiteOutbox(store.database)
        let void = try #require(try await outbox.pending(after: 1, limit: 1).first)
        try await outbox.record(
            [result(sale.mutationId, .applied), result(void.id, .conflict)], acknowledgedThrough: 2)
        _ = try await Refusals(SQLiteRefusals(store.database)).discard(void.id, reason: "no", by: nil, at: 0)
        let order = try #require(try await archive.order(sale.orderId))
        #expect(order.sale.voidedAt == nil)
        #expect(order.sync == .acknowledged)
        #expect(try await store.number("SELECT sum(delta_milli) FROM \(StoreFixture.moves)") == -2000)
    }

    @Test("only a refusal is settled, and only once")
    func notRefused() async throws {
        let (store, sale) = try await refusedSale()
        let refusals = Refusals(SQLiteRefusals(store.database))
        let pending = try await store.sell(2...2)[0].mutationId
        await #expect(throws: RefusalError.notRefused(id: pending, state: .pending)) {
            try await refusals.resend(pending)
        }
        _ = try await refusals.discard(sale.mutationId, reason: "r", by: nil, at: 0)
        await #expect(throws: RefusalError.notRefused(id: sale.mutationId, state: .discarded)) {
            try await refusals.resend(sale.mutationId)
        }
        await #expect(throws: RefusalError.unknown(id: "x")) { try await refusals.resend("x") }
    }

    @Test("a restored hub gets everything after what it has, and a settled refusal stays settled")
    func restoredHub() async throws {
        let (store, sale) = try await refusedSale()
        let refusals = Refusals(SQLiteRefusals(store.database))
        let outbox = SQLiteOutbox(store.database)
        let new = try await refusals.resend(sale.mutationId)
        try await outbox.record([result(new, .applied)], acknowledgedThrough: 2)
        #expect(try await outbox.record([], acknowledgedThrough: 2) == 0)
        #expect(try await outbox.record([], acknowledgedThrough: 0) == 2)
        #expect(try await outbox.depth().pending == 2)
        #expect(try await outbox.record([], acknowledgedThrough: 0) == 0)
        try await outbox.record(
            [result(sale.mutationId, .rejected), result(new, .applied)], acknowledgedThrough: 2)
        #expect(try await refusals.list() == [])
        let depth = try await outbox.depth()
        #expect([depth.pending, depth.rejected, depth.conflicted] == [0, 0, 0])
    }

    /// A sale that was sent and got no result, and a second one.
    private func stuckSale() async throws -> (store: StoreFixture, sale: Sale) {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...2)[0]
        try await SQLiteOutbox(store.database).note(problem: "403 : a page", of: sale.mutationId)
        return (store, sale)
    }

    @Test(
        "an entry that gets no result is set aside: its decision goes first, and a late entry changes nothing"
    )
    func setAside() async throws {
        let (store, sale) = try await stuckSale()
        let (refusals, outbox) = (Refusals(SQLiteRefusals(store.database)), SQLiteOutbox(store.database))
        let decision = try await refusals.discard(sale.mutationId, reason: "a filter", by: "7", at: 0)
        #expect(try await outbox.depth().pending == 2)
        #expect(try await outbox.pending(after: 0, limit: 9).map(\.sequence) == [2, 3])
        await #expect(throws: RefusalError.notRefused(id: sale.mutationId, state: .discarded)) {
            try await refusals.discard(sale.mutationId, reason: "again", by: nil, at: 0)
        }
        // The hub lacks its sequence, so it is sent after all: apart from its key, and after the decision.
        try await outbox.reopen(sequences: [1])
        let held = try await outbox.pending(after: 0, limit: 9)
        #expect(held.map(\.isHeld) == [true, false, false])
        #expect(held.map(\.isSetAside) == [true, false, false])
        #expect(held[0].orderingKey != held[2].orderingKey)
        #expect(try await outbox.record([result(decision, .applied)], acknowledgedThrough: nil) == 1)
        #expect(try await outbox.pending(after: 0, limit: 9).map(\.isHeld) == [false, false])
        try await outbox.record([result(sale.mutationId, .rejected)], acknowledgedThrough: nil)
        #expect(try await refusals.list() == [])
        let depth = try await outbox.depth()
        #expect([depth.pending, depth.rejected, depth.conflicted] == [1, 0, 0])
        #expect(await store.database.verify() == [])
    }

    @Test(
        "an entry that gets no result is edited: the edit goes in its place, under a new id and the same key")
    func editedPending() async throws {
        let (store, sale) = try await stuckSale()
        let (refusals, outbox) = (Refusals(SQLiteRefusals(store.database)), SQLiteOutbox(store.database))
        let payload = try await refusals.mutation(sale.mutationId).payload
        let new = try await refusals.resend(sale.mutationId, payload: payload)
        let pending = try await outbox.pending(after: 0, limit: 9)
        #expect(pending.map(\.id).contains(new) && !pending.map(\.id).contains(sale.mutationId))
        #expect(pending.last?.orderingKey == sale.mutationId)
        let order = try #require(try await SQLiteOrderArchive(store.database).order(sale.orderId))
        #expect(order.sale.mutationId == new)
        #expect(try await outbox.depth().pending == 2)
        #expect(await store.database.verify() == [])
    }

    @Test("what the hub deferred, or was never sent, is not set aside, and a retry keeps the entry's id")
    func notSetAside() async throws {
        let (store, sale) = try await stuckSale()
        let (refusals, outbox) = (Refusals(SQLiteRefusals(store.database)), SQLiteOutbox(store.database))
        #expect(try await refusals.retry(sale.mutationId) == sale.mutationId)
        let deferral = PushResult(
            id: sale.mutationId, outcome: .deferred,
            document: "{\"id\":\"\(sale.mutationId)\",\"outcome\":\"deferred\"}")
        try await outbox.record([deferral], acknowledgedThrough: nil)
        for id in try await outbox.pending(after: 0, limit: 9).map(\.id) {
            await #expect(throws: RefusalError.notRefused(id: id, state: .pending)) {
                try await refusals.discard(id, reason: "no", by: nil, at: 0)
            }
        }
    }
}
