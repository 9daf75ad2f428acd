import Base
import Foundation
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Cards that were taken offline, on disk")
struct SQLiteStoredCardsTests {
    private func card(_ key: String, _ state: StoredCard.State = .reserved) throws -> StoredCard {
        StoredCard(
            key: key, amount: 656, currency: "CNY",
            businessDay: try #require(BusinessDay(number: 20_261_121)),
            takenAt: MachineMoment(wall: 5, boot: 6, bootId: "b"), shiftId: "s",
            state: state)
    }

    @Test("are counted by the transaction of their sale, and by the file alone beside an old database")
    func counted() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        #expect(try await cards.cards() == StoredCards())
        var (first, second) = (try card("01K1"), try card("01K2"))
        (first.isAtMachine, second.isAtMachine) = (true, true)
        try cards.keep(StoredCards([first, second]))
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [first]
        _ = try await store.ledger.commit(draft)
        var sold = first
        sold.state = .stored
        #expect(try await cards.cards() == StoredCards([sold, second]))
        let old = try await StoreFixture()
        let restored = SQLiteStoredCards(old.database, home: store.home.path)
        #expect(try await restored.cards() == StoredCards([first, second]))
        sold.state = .declined
        try await cards.settle(sold)
        #expect(try await cards.cards().cards.first?.state == .declined)
    }

    @Test("are debts once they are refused, with order and reason; those of a lost database have no order")
    func debts() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        #expect(try await cards.debts() == [])
        var (first, lost) = (try card("01K2"), try card("01K1", .declined))
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [first]
        let sale = try await store.ledger.commit(draft).sale
        lost.reason = "expired"
        try cards.keep(StoredCards([first, lost]))
        #expect(try await cards.debts() == [CardDebt(lost, orderNumber: nil)])
        (first.state, first.reason, first.settledAt) = (.declined, "stolen card", 7)
        try await cards.settle(first)
        #expect(
            try await cards.debts() == [
                CardDebt(lost, orderNumber: nil), CardDebt(first, orderNumber: "\(sale.orderNumber)"),
            ])
        #expect(try await cards.debts().map(\.isSettled) == [false, true])
        #expect(try await cards.cards() == StoredCards([lost, first]))
        // The file has what the database has of it, for the day on which the database is lost.
        try cards.keep(StoredCards([lost, first]))
        let other = try await StoreFixture()
        #expect(
            try await SQLiteStoredCards(other.database, home: store.home.path).cards()
                == StoredCards([lost, first]))
        // The voided sale of a debt is none.
        try await store.database.write { connection in
            try SQLiteStoredCards.void(orderId: sale.orderId, in: connection)
        }
        #expect(try await cards.debts().map(\.key) == ["01K1"])
    }

    @Test("are debts of what is left after the refunds to them, before the refusal and after it")
    func refunded() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        var owing = try card("01K1")
        var draft = try StoreFixture.draft(
            1, card: CardApproval(authorizationKey: owing.key, approvalCode: ""))
        (draft.storedCards, draft.charges) = ([owing], [])
        let sale = try await store.ledger.commit(draft).sale
        let archive = SQLiteOrderArchive(store.database)
        owing.state = .declined
        let apples = RefundEntry.Item(article: "2000001", quantityMilli: nil)
        for (number, items, owed) in [(1 as UInt64, [apples], [240 as Int64]), (2, [], [])] {
            let entry = RefundEntry(
                key: ULID(high: 9, low: number), items: items, mode: .online, madeAt: StoreFixture.noon,
                businessDay: owing.businessDay, cashierId: nil, reason: nil, smallestCoin: 1,
                timeZone: "Asia/Shanghai", attachments: [], repaidTenders: ["card"])
            let made = try await archive.refund(RefundDraft(of: .order(sale.orderId), with: entry)).get()
            // The second one is made when the till knows that the card was refused.
            #expect(made.refusedCards == (number == 1 ? [] : [owing.key]))
            try await cards.settle(owing)
            #expect(try await cards.debts().map(\.amount) == owed)
        }
        let shown = try #require(try await archive.order(sale.orderId))
        #expect(shown.refunds.map(\.refusedCards) == [[owing.key], [owing.key]])
    }

    @Test("count no more once their sale is voided")
    func voided() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        try await store.database.write { connection in
            try SQLiteStoredCards.insert(card("01K1"), orderId: "o1", in: connection)
            try SQLiteStoredCards.void(orderId: "o1", in: connection)
        }
        #expect(try await cards.cards().cards.map(\.state) == [.voided])
    }

    @Test("in a file that cannot be read, or was lost, are those of the database and may be more")
    func unreadable() async throws {
        let store = try await StoreFixture()
        let path = store.home.path + "/offline-cards.json"
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [try card("01K1")]
        try cards.keep(StoredCards(draft.storedCards))
        _ = try await store.ledger.commit(draft)
        let sold = StoredCards([try card("01K1", .stored)], isComplete: false)
        for text in ["", "{}", #"{"cards":[{"key":"k"}]}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(try await cards.cards() == sold)
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await cards.cards() == sold)
        // An approved sale writes the file anew, and it still says so.
        try cards.keep(sold)
        #expect(try await cards.cards() == sold)
        try await store.database.write { connection in
            try connection.execute(sql: "UPDATE stored_cards SET state = 'other'")
        }
        try cards.keep(StoredCards())
        #expect(try await cards.cards() == StoredCards([], isComplete: false))
    }
}
