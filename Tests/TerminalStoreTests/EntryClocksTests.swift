import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Testing

@testable import Retail
@testable import TerminalStore

@Suite("What the journal says of its time")
struct EntryClocksTests {
    private static let noon = StoreFixture.noon
    /// The terminal's own clock is three hours behind the hub's.
    private static let behind = noon - 10_800_000

    private let store: StoreFixture
    private let person = Authorization(cashierId: "c1", approverId: nil)

    init() async throws {
        store = try await StoreFixture(now: Self.behind)
    }

    private func pending() async throws -> [Mutation] {
        try await SQLiteOutbox(store.database).pending(after: 0, limit: 99).map { entry in
            try Mutation(json: try JSONParser.parse(entry.body))
        }
    }

    /// One of each kind that the hub's journal lists, and a note.
    private func recordAll(from first: UInt64) async throws {
        let day = try #require(BusinessDay(number: 20_261_121))
        let shifts = SQLiteShifts(store.database)
        _ = try await shifts.open(
            ShiftDraft(
                float: 100, currency: "CNY", person: person, madeAt: Self.noon, businessDay: day,
                timeZone: "Asia/Shanghai")
        ).get()
        _ = try await shifts.move(
            CashMoveDraft(
                key: nil, kind: .in, amount: 5, currency: "CNY", reason: "coins", person: person,
                madeAt: Self.noon, businessDay: day, timeZone: "Asia/Shanghai")
        ).get()
        let sales = try await store.sell(first...first + 1)
        let orders = SQLiteOrderArchive(store.database)
        _ = try await orders.void(
            orderId: sales[0].orderId,
            with: VoidEntry(
                mode: .online, madeAt: Self.noon, businessDay: day, cashierId: "c1", reason: nil))
        _ = try await orders.refund(
            RefundDraft(
                of: .order(sales[1].orderId),
                with: RefundEntry(
                    key: StoreFixture.key(first + 2), items: [], mode: .online, madeAt: Self.noon,
                    businessDay: day, cashierId: "c1", reason: nil, smallestCoin: 1,
                    timeZone: "Asia/Shanghai", attachments: []))
        ).get()
        _ = try await shifts.close(
            ShiftCount(cash: 105, others: [], person: person, madeAt: Self.noon)
        ).get()
        _ = try await SQLiteNotes(store.database).add(text: "wet floor", author: nil, at: Self.noon)
    }

    private static let dated = [
        "shift.opened", "cash.moved", "order.completed", "order.completed", "order.voided",
        "refund.completed", "shift.closed",
    ]

    @Test("Every kind names the terminal's own clock, what the hub's journal lists the hub's time as well")
    func bothClocks() async throws {
        try await recordAll(from: 1)
        store.hub.milliseconds = Self.noon
        try await recordAll(from: 11)
        let all = try await pending()
        #expect(all.map(\.type) == (0..<2).flatMap { _ in Self.dated + ["note.upserted"] })
        #expect(Set(all.map(\.clientGeneratedAt)) == [Timestamp.text(milliseconds: Self.behind)])
        let documents = all.filter { Self.dated.contains($0.type) }
        #expect(documents.allSatisfy { $0.payload.object?.keys.contains("hubTime") == true })
        let times = documents.map { $0.payload["hubTime"]?.string }
        let known = Array(repeating: Timestamp.text(milliseconds: Self.noon), count: Self.dated.count)
        #expect(times == Array(repeating: nil, count: Self.dated.count) + known)
        #expect(all.filter { $0.type == "note.upserted" }.allSatisfy { $0.payload["hubTime"] == nil })
    }

    @Test("An edited sale keeps both times of the first one, and the till shows the store's")
    func edited() async throws {
        store.hub.milliseconds = Self.noon
        let sale = try await store.sell(1...1)[0]
        store.hub.milliseconds = Self.noon + 60_000
        let refusal = PushResult(id: sale.mutationId, outcome: .rejected, document: "{}")
        try await SQLiteOutbox(store.database).record([refusal], acknowledgedThrough: 1)
        let refusals = SQLiteRefusals(store.database)
        _ = try await refusals.resend(sale.mutationId, allowsPending: false) { .success($0.payload) }
        let entry = try #require(try await pending().last)
        #expect(entry.supersedes == sale.mutationId)
        #expect(entry.clientGeneratedAt == Timestamp.text(milliseconds: Self.behind))
        #expect(entry.payload["hubTime"]?.string == Timestamp.text(milliseconds: Self.noon))
        let read = try await store.ledger.sale(key: sale.key)
        #expect(read?.content.madeAt == Self.noon)
    }
}
