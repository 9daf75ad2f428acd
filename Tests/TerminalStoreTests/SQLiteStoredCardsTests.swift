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
    private func card(_ key: String, _ state: DeviceRequest.State = .intent) throws -> StoredCard {
        StoredCard(
            token: key, amount: 656, currency: "CNY",
            businessDay: try #require(BusinessDay(number: 20_261_121)),
            takenAt: MachineMoment(wall: 5, boot: 6, bootId: "b"), shiftId: "s",
            state: state)
    }

    /// As the database returns it.
    private func row(_ card: StoredCard) -> StoredCard {
        let request = card.request
        return StoredCard(
            DeviceRequest(
                .charge, key: request.key, chargeKey: request.key, amount: request.amount,
                currency: request.currency, openedAt: request.openedAt, state: request.state,
                origin: request.origin, reported: request.proof), businessDay: card.businessDay,
            takenAt: card.takenAt, shiftId: card.shiftId, settledAt: card.settledAt)
    }

    @Test("are counted by the transaction of their sale, and by the file alone beside an old database")
    func counted() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        #expect(try await cards.cards() == StoredCards())
        let (first, second) = (try card("01K1"), try card("01K2"))
        try cards.keep(StoredCards([first, second]))
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [first]
        _ = try await store.ledger.commit(draft)
        var sold = first
        _ = sold.request.handle(.sold, at: Instant(nanoseconds: 0))
        #expect(try await cards.cards() == StoredCards([row(sold), second]))
        // No person has to see it, and no machine waits for it.
        #expect(try await SQLiteCardIntents(store.database).unseen() == [])
        #expect(try await SQLiteDeviceRequests(store.database).open() == [])
        let old = try await StoreFixture()
        let restored = SQLiteStoredCards(old.database, home: store.home.path)
        #expect(try await restored.cards() == StoredCards([first, second]))
        // Of a lost database nothing is written anew.
        var granted = sold
        _ = granted.request.handle(.found(.done(DeviceProof(reference: "01K1"))), at: Instant(nanoseconds: 0))
        try await restored.settle(granted)
        #expect(try await SQLiteDeviceRequests(old.database).request("01K1") == nil)
        try await cards.settle(granted)
        #expect(try await cards.cards() == StoredCards([row(granted), second]))
        #expect(try await SQLiteCardIntents(store.database).unseen() == [])
    }

    @Test("of a card machine count until its end of day, with the request that the machine's device keeps")
    func atMachine() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        let devices = SQLiteDeviceRequests(store.database)
        let request = DeviceRequest(
            .charge, key: "01K3", chargeKey: "01K3", amount: 656, currency: "CNY", openedAt: 5,
            state: .charged(DeviceProof(reference: "01K3")), origin: .init(kind: .zvt, address: ""),
            reported: nil)
        let token = try card("01K3")
        var card = StoredCard(
            request, businessDay: token.businessDay, takenAt: token.takenAt, shiftId: token.shiftId)
        try cards.keep(StoredCards([card]))
        #expect(try await cards.cards() == StoredCards([card]))
        try await devices.keep(request)
        try await store.database.write { [card] in
            try SQLiteStoredCards.insert(card, orderId: "o1", in: $0)
        }
        // What is kept of the request meanwhile is the device's.
        var voiding = request
        _ = voiding.handle(.givenUp, at: Instant(nanoseconds: 0))
        try await devices.keep(voiding)
        card.settledAt = 7
        try await cards.settle(card)
        let kept = try #require(try await cards.cards().cards.first)
        #expect(kept.request.state.name == "voiding" && kept.settledAt == 7)
        #expect(try await cards.debts() == [])
    }

    @Test("are debts once they are refused, with order and reason; those of a lost database have no order")
    func debts() async throws {
        let store = try await StoreFixture()
        let cards = SQLiteStoredCards(store.database, home: store.home.path)
        #expect(try await cards.debts() == [])
        let lost = try card("01K1", .declined(reason: "expired"))
        var first = try card("01K2")
        var draft = try StoreFixture.draft(1)
        draft.storedCards = [first]
        let sale = try await store.ledger.commit(draft).sale
        try cards.keep(StoredCards([first, lost]))
        #expect(try await cards.debts() == [CardDebt(lost, orderNumber: nil)])
        first = try card("01K2", .declined(reason: "stolen card"))
        first.settledAt = 7
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
        owing = try card("01K1", .declined(reason: "expired"))
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
        #expect(try await cards.cards().cards.map(\.request.state) == [.voided])
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
        let sold = StoredCards(
            [row(try card("01K1", .requested(DeviceProof(reference: "01K1"))))], isComplete: false)
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
            try connection.execute(sql: "UPDATE device_requests SET state = 'other'")
        }
        try cards.keep(StoredCards())
        #expect(try await cards.cards() == StoredCards([], isComplete: false))
    }
}
