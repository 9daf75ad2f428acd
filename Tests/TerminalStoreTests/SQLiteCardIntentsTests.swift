import Base
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
        var unknown = try await open(store, 1)
        var cart = KeptCart(
            id: StoreFixture.key(1), name: nil, since: StoreFixture.noon, lines: [], currency: "CNY",
            total: 656, memberId: nil, coupons: [])
        try await intents.suspend([unknown], as: cart)
        // Others see it, as every cart that is put aside: its sale names it.
        cart.journey = CartJourney()
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(try await SQLiteCardIntents(again.database).unsettled() == [])
        #expect(try await SQLiteCardIntents(again.database).suspended().map(\.key) == [unknown.key])
        #expect(try await SQLiteCarts(again.database).carts() == [cart])
        var proof = DeviceProof(reference: "")
        proof.approvalCode = "A1"
        _ = unknown.request.handle(.ended(.done(proof)), at: Instant(nanoseconds: 0))
        try await intents.keep(unknown)
        let approval = CardApproval(authorizationKey: unknown.key, approvalCode: "A1")
        #expect(try await intents.suspended().first?.approval == approval)
        _ = try await store.ledger.commit(
            try StoreFixture.draft(1, orderId: unknown.orderId, card: approval))
        #expect(try await intents.suspended() == [])
        let dropped = try await open(store, 2)
        try await intents.suspend([dropped], as: cart)
        let given = try await intents.giveUp(
            dropped, reason: "dropped", onlyUnsettled: false, at: StoreFixture.noon)
        #expect(given?.state == .voided)
        #expect(try await intents.suspended() == [])
        let types = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.type)
        #expect(types == ["order.completed", "payment.voided"])
    }

    @Test("that wait as a cart by now are not given up by who read the list before")
    func waitsMeanwhile() async throws {
        let store = try await StoreFixture()
        let intents = SQLiteCardIntents(store.database)
        let intent = try await open(store, 1)
        let list = try await intents.unsettled()
        #expect(list.map(\.key) == [intent.key])
        let cart = KeptCart(
            id: StoreFixture.key(1), name: nil, since: StoreFixture.noon, lines: [], currency: "CNY",
            total: 656, memberId: nil, coupons: [])
        try await intents.suspend([intent], as: cart)
        #expect(
            try await intents.giveUp(
                intent, reason: "no sale", onlyUnsettled: true, at: StoreFixture.noon) == nil)
        #expect(try await intents.suspended().map(\.key) == [intent.key])
        _ = try await SQLiteCarts(store.database).change(cart.id, on: nil, isDeletion: true) {
            $0.map(Result.success) ?? .failure(CartRefusal.notEnrolled)
        }
        let given = try await intents.giveUp(
            intent, reason: "no sale", onlyUnsettled: true, at: StoreFixture.noon)
        #expect(given?.state == .voided)
    }

    @Test("are found after a crash until something settles them")
    func unsettled() async throws {
        let store = try await StoreFixture()
        let left = try await open(store, 1)
        var declined = try await open(store, 2)
        _ = declined.request.handle(.ended(.declined(reason: "funds")), at: Instant(nanoseconds: 0))
        try await SQLiteCardIntents(store.database).keep(declined)
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
        draft.charges = [try await store.chargedByMachine(intent)]
        _ = try await store.ledger.commit(draft)
        #expect(try await intents.unsettled() == [])
    }

    @Test("that no sale takes over are taken by none, and stay until their machine gave the money back")
    func voiding() async throws {
        let store = try await StoreFixture()
        let (intents, requests) = (SQLiteCardIntents(store.database), SQLiteDeviceRequests(store.database))
        func open(_ number: UInt64) async throws -> CardIntent {
            try await intents.open(
                CardRequest(
                    saleKey: StoreFixture.key(number), orderId: nil, method: "card", amount: 656,
                    currency: "CNY", channel: .machine), at: StoreFixture.noon)
        }
        func giveUp(_ intent: CardIntent) async throws -> DeviceRequest? {
            try await intents.giveUp(intent, reason: "no sale", onlyUnsettled: false, at: StoreFixture.noon)
        }
        let start = Instant(nanoseconds: 0)
        // Nothing was sent: nothing is left to do.
        #expect(try await giveUp(open(3))?.isAtRest == true)
        #expect(try await intents.unsettled() == [])
        // Given up while it is at the machine, which charges it then.
        let intent = try await open(1)
        var sent = intent.request
        _ = sent.handle(.opened(.init(kind: .zvt, address: "tcp:m:1")), at: start)
        try await requests.keep(sent)
        #expect(try await giveUp(intent)?.isAtRest == false)
        #expect(try await giveUp(intent)?.isAtRest == false)
        #expect(try await intents.unsettled().map(\.isVoiding) == [true])
        #expect(try await intents.suspended().map(\.key) == [intent.key])
        _ = sent.handle(.ended(.done(StoreFixture.proof)), at: start)
        try await requests.keep(sent)
        var draft = try StoreFixture.draft(1, orderId: intent.orderId)
        draft.charges = [sent]
        await #expect(throws: StorageError.self) { try await store.ledger.commit(draft) }
        var back = try #require(try await giveUp(intent))
        #expect(back.state == .voiding(StoreFixture.proof))
        _ = back.handle(.reversed(.done(StoreFixture.proof)), at: start)
        try await requests.keep(back)
        #expect(try await intents.unsettled() == [])
        let sold = try await open(2)
        draft = try StoreFixture.draft(2, orderId: sold.orderId)
        draft.charges = [try await store.chargedByMachine(sold)]
        _ = try await store.ledger.commit(draft)
        #expect(try await giveUp(sold) == nil)
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
        #expect(try await intents.unsettled().map(\.key) == [waiting[0].key])
        _ = try await store.ledger.commit(try StoreFixture.draft(2))
        #expect(try await intents.unsettled().map(\.key) == waiting.map(\.key))
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
        for isFirst in [true, false] {
            let given = try await intents.giveUp(
                intent, reason: "no sale", onlyUnsettled: false, at: StoreFixture.noon)
            #expect((given != nil) == isFirst)
        }
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
