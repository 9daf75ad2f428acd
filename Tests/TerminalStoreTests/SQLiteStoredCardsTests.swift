import Foundation
import HubProtocol
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
        #expect(try await cards.cards() == [])
        let (first, second) = (try card("01K1"), try card("01K2"))
        try cards.keep([first, second])
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [first]
        _ = try await store.ledger.commit(draft)
        var sold = first
        sold.state = .stored
        #expect(try await cards.cards() == [sold, second])
        let old = try await StoreFixture()
        let restored = SQLiteStoredCards(old.database, home: store.home.path)
        #expect(try await restored.cards() == [first, second])
        sold.state = .declined
        try await cards.settle(sold)
        #expect(try await cards.cards()?.first?.state == .declined)
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
        try cards.keep([first, lost])
        #expect(try await cards.debts() == [CardDebt(lost, orderNumber: nil)])
        (first.state, first.reason, first.settledAt) = (.declined, "stolen card", 7)
        try await cards.settle(first)
        #expect(
            try await cards.debts() == [
                CardDebt(lost, orderNumber: nil), CardDebt(first, orderNumber: "\(sale.orderNumber)"),
            ])
        #expect(try await cards.debts().map(\.isSettled) == [false, true])
        #expect(try await cards.cards() == [lost, first])
        // The file has what the database has of it, for the day on which the database is lost.
        try cards.keep([lost, first])
        let other = try await StoreFixture()
        #expect(
            try await SQLiteStoredCards(other.database, home: store.home.path).cards() == [lost, first])
        // The voided sale of a debt is none.
        try await store.database.write { connection in
            try SQLiteStoredCards.void(orderId: sale.orderId, in: connection)
        }
        #expect(try await cards.debts().map(\.key) == ["01K1"])
    }

    @Test("count no more once their sale is voided")
    func voided() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        try await store.database.write { connection in
            try SQLiteStoredCards.insert(card("01K1"), orderId: "o1", in: connection)
            try SQLiteStoredCards.void(orderId: "o1", in: connection)
        }
        #expect(try await cards.cards()?.map(\.state) == [.voided])
    }

    @Test("in a file that cannot be read are unknown, not none")
    func unreadable() async throws {
        let store = try await StoreFixture()
        let path = store.home.path + "/offline-cards.json"
        for text in ["", "{}", #"{"cards":[{"key":"k"}]}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(try await SQLiteStoredCards(store.database, home: store.home.path).cards() == nil)
        }
    }
}
