import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Card intents on disk")
struct SQLiteCardIntentsTests {
    private func open(_ store: StoreFixture, _ number: UInt64 = 1) async throws -> CardIntent {
        try await SQLiteCardIntents(store.database).open(
            CardRequest(
                saleKey: StoreFixture.key(number), orderId: nil, method: "card", amount: 656, currency: "CNY"),
            at: StoreFixture.noon)
    }

    @Test("whose sale waits stay with their cart over a crash, and are settled by void, decline or sale")
    func waiting() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        let unknown = try await open(store, 1)
        let cart = KeptCart(
            id: StoreFixture.key(1), name: nil, since: StoreFixture.noon, lines: [], currency: "CNY",
            total: 656, memberId: nil, coupons: [])
        try await intents.suspend([unknown], as: cart)
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(try await SQLiteCardIntents(again.database).unsettled() == [])
        #expect(try await SQLiteCardIntents(again.database).suspended() == [unknown])
        #expect(try await SQLiteCarts(again.database).carts() == [cart])
        let approval = CardApproval(authorizationKey: unknown.key, approvalCode: "A1")
        try await intents.grant(unknown, approval)
        #expect(try await intents.suspended().first?.approval == approval)
        _ = try await store.ledger.commit(
            try StoreFixture.draft(1, orderId: unknown.orderId, card: approval))
        #expect(try await intents.suspended() == [])
        let dropped = try await open(store, 2)
        try await intents.suspend([dropped], as: cart)
        try await intents.void(dropped, reason: "dropped", at: StoreFixture.noon)
        #expect(try await intents.suspended() == [])
        let types = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.type)
        #expect(types == ["order.completed", "payment.voided"])
    }

    @Test("are found after a crash until something settles them")
    func unsettled() async throws {
        let store = try await StoreFixture()
        let left = try await open(store, 1)
        let declined = try await open(store, 2)
        try await SQLiteCardIntents(store.database).decline(declined)
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(try await SQLiteCardIntents(again.database).unsettled() == [left])
    }

    @Test("say who is asked for the money, and a sale takes those over that its machine charged")
    func ofMachine() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        let intent = try await intents.open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY",
                channel: .machine), at: StoreFixture.noon)
        #expect(try await intents.unsettled().map(\.channel) == [.machine])
        var draft = try StoreFixture.draft(1, orderId: intent.orderId)
        draft.intents = [intent.key]
        _ = try await store.ledger.commit(draft)
        #expect(try await intents.unsettled() == [])
    }

    @Test("that are being voided are taken over by no sale, and stay so until the void is confirmed")
    func voiding() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        var intent = try await intents.open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY",
                channel: .machine), at: StoreFixture.noon)
        #expect(try await intents.beginVoid(intent))
        #expect(try await intents.beginVoid(intent))
        intent.isVoiding = true
        #expect(try await intents.unsettled() == [intent])
        #expect(try await intents.suspended() == [intent])
        var draft = try StoreFixture.draft(1, orderId: intent.orderId)
        draft.intents = [intent.key]
        await #expect(throws: StorageError.self) { try await store.ledger.commit(draft) }
        try await intents.decline(intent)
        #expect(try await intents.unsettled() == [])
        let sold = try await open(store, 2)
        draft = try StoreFixture.draft(2, orderId: sold.orderId)
        draft.intents = [sold.key]
        _ = try await store.ledger.commit(draft)
        #expect(try await !intents.beginVoid(sold))
    }

    @Test("that wait without a cart, or beside their recorded sale, are unsettled")
    func withoutCart() async throws {
        let store = try await StoreFixture()
        let (intents, carts) = (SQLiteCardIntents(store.database), SQLiteCarts(store.database))
        var waiting: [CardIntent] = []
        for number in [1, 2] as [UInt64] {
            waiting.append(try await open(store, number))
            let cart = KeptCart(
                id: StoreFixture.key(number), name: nil, since: StoreFixture.noon, lines: [],
                currency: "CNY", total: 656, memberId: nil, coupons: [])
            try await intents.suspend([waiting.last].compactMap(\.self), as: cart)
        }
        #expect(try await intents.unsettled() == [])
        try await carts.drop(try #require(try await carts.carts().first))
        #expect(try await intents.unsettled() == [waiting[0]])
        _ = try await store.ledger.commit(try StoreFixture.draft(2))
        #expect(try await intents.unsettled() == waiting)
    }

    @Test("are taken over by their sale in its own transaction")
    func sold() async throws {
        let store = try await StoreFixture()
        let intent = try await open(store)
        let approval = CardApproval(authorizationKey: intent.key, approvalCode: "A1")
        let sale = try await store.ledger.commit(
            try StoreFixture.draft(1, orderId: intent.orderId, card: approval)
        ).sale
        #expect(sale.orderId == intent.orderId)
        #expect(try await SQLiteCardIntents(store.database).unsettled() == [])
        let body = try await SQLiteOutbox(store.database).pending(after: 0, limit: 1)[0].body
        #expect(
            try JSONParser.parse(body)["payload"]?["payments"] == [
                [
                    "method": "card", "amount": 656, "authorizationKey": .string(intent.key),
                    "approvalCode": "A1",
                ]
            ])
    }

    @Test("are voided once, through the outbox, and then no sale takes them over")
    func voided() async throws {
        let store = try await StoreFixture()
        let intent = try await open(store)
        let intents = SQLiteCardIntents(store.database)
        try await intents.void(intent, reason: "no sale", at: StoreFixture.noon)
        try await intents.void(intent, reason: "no sale", at: StoreFixture.noon)
        let items = try await SQLiteOutbox(store.database).pending(after: 0, limit: 10)
        #expect(items.map(\.type) == ["payment.voided"])
        let mutation = try Mutation(json: try JSONParser.parse(items[0].body))
        #expect(mutation.entityId == intent.key)
        #expect(mutation.payload["orderId"]?.string == intent.orderId)
        await #expect(throws: StorageError.self) {
            try await store.ledger.commit(
                try StoreFixture.draft(
                    1, orderId: intent.orderId,
                    card: CardApproval(authorizationKey: intent.key, approvalCode: "A1")))
        }
        #expect(try await store.number("SELECT count(*) FROM orders") == 0)
        #expect(await store.database.verify() == [])
    }

    @Test("of a sale are shown until its response is seen or it is voided")
    func unseen() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        for number in [1, 2] as [UInt64] {
            let intent = try await open(store, number)
            let approval = CardApproval(authorizationKey: intent.key, approvalCode: "A\(number)")
            _ = try await store.ledger.commit(
                try StoreFixture.draft(number, orderId: intent.orderId, card: approval))
        }
        let both = try await intents.unseen()
        #expect(both.map(\.saleKey) == [StoreFixture.key(1), StoreFixture.key(2)])
        try await intents.noteSeen(orderId: both[0].orderId)
        #expect(try await intents.unseen() == [both[1]])
        let day = try #require(BusinessDay(number: 20_261_121))
        _ = try await SQLiteOrderArchive(store.database).void(
            orderId: both[1].orderId,
            with: VoidEntry(mode: .online, madeAt: 0, businessDay: day, cashierId: nil, reason: nil))
        #expect(try await intents.unseen() == [])
    }
}
