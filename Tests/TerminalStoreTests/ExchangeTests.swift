import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

/// A refund and a sale in one transaction.
@Suite("Exchanges on disk")
struct ExchangeTests {
    private static func refund(
        of sale: Sale, key: UInt64, milli: Int64? = 1000, promised: Int64? = nil
    ) throws -> RefundDraft {
        var draft = RefundDraft(
            of: .order(sale.orderId),
            with: RefundEntry(
                key: StoreFixture.key(key), items: [.init(article: "S1", quantityMilli: milli)],
                mode: .offline, madeAt: StoreFixture.noon + 60_000,
                businessDay: try #require(BusinessDay(number: 20_261_121)), cashierId: "c2", reason: nil,
                smallestCoin: 1, timeZone: "Asia/Shanghai", attachments: []))
        draft.promised = promised
        return draft
    }

    @Test(
        "The refund's entry comes first, the sale's continues its hash, and the same key is the first exchange"
    )
    func both() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        let refund = try Self.refund(of: sale, key: 2, promised: 120)
        let committed = try await store.ledger.commit(try StoreFixture.draft(2), for: refund).get()
        #expect(committed.refund?.content.total == 120)
        #expect(committed.sale.key == StoreFixture.key(2) && committed.durable > .zero)
        let pending = try await SQLiteOutbox(store.database).pending(after: 1, limit: 9)
        let entries = try pending.map { try Mutation(json: JSONParser.parse($0.body)) }
        #expect(entries.map(\.type) == ["refund.completed", "order.completed"])
        #expect(entries[1].previousHash == entries[0].hash)
        let again = try await store.ledger.commit(try StoreFixture.draft(2), for: refund).get()
        #expect(again.sale.orderNumber == committed.sale.orderNumber && again.durable == .zero)
        #expect(again.refund == committed.refund)
        #expect(await store.database.verify() == [])
    }

    @Test("Goods that cannot come back, or for another amount, leave no sale")
    func neither() async throws {
        let store = try await StoreFixture()
        let sale = try await store.sell(1...1)[0]
        func code(_ refund: RefundDraft) async throws -> String? {
            let result = try await store.ledger.commit(try StoreFixture.draft(2), for: refund)
            guard case .failure(let refusal) = result else { return nil }
            return refusal.code
        }
        #expect(try await code(Self.refund(of: sale, key: 2, milli: 9000)) == "more_than_left")
        #expect(try await code(Self.refund(of: sale, key: 2, promised: 121)) == "refund_changed")
        #expect(try await store.ledger.sale(key: StoreFixture.key(2)) == nil)
        #expect(try await SQLiteOutbox(store.database).pending(after: 1, limit: 9).isEmpty)
        #expect(try await code(Self.refund(of: sale, key: 2, promised: 120)) == nil)
    }
}
