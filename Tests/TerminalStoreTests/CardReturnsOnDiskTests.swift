import Base
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Testing

@testable import Retail
@testable import TerminalStore

/// What the card machine has to give back, on disk from the transaction that decided it.
@Suite("Returns to cards on disk")
struct CardReturnsOnDiskTests {
    private static let files = ["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"]
    private static let day: Int64 = 20_261_121

    /// A sale of which the machine charged 500 under `K1`; cash paid the rest.
    private func sell(_ store: StoreFixture, _ number: UInt64 = 1) async throws -> Sale {
        let intents = SQLiteCardIntents(store.database)
        let intent = try await intents.open(
            CardRequest(
                saleKey: StoreFixture.key(number), orderId: nil, method: "card", amount: 500,
                currency: "CNY", channel: .machine), at: StoreFixture.noon)
        let plain = try StoreFixture.draft(number, orderId: intent.orderId)
        let content = plain.content
        var draft = SaleDraft(
            key: plain.key, orderId: intent.orderId, businessDay: plain.businessDay,
            content: SaleContent(
                mode: .offline, madeAt: content.madeAt, timeZone: content.timeZone, currency: "CNY",
                cashierId: nil, memberId: nil, coupons: [], lines: content.lines, totals: content.totals,
                payments: [
                    SalePayment(
                        method: .card, amount: 500,
                        details: PaymentDetails(
                            machine: .init(reference: "M-1", approvalCode: "MC1", key: intent.key))),
                    SalePayment(method: .cash, amount: content.totals.total - 500),
                ], cashRounding: 0, change: 0))
        draft.charges = [try await store.chargedByMachine(intent)]
        return try await store.ledger.commit(draft).sale
    }

    private func entry(
        _ number: UInt64, _ items: [RefundEntry.Item] = [], byMachine tenders: Set<String> = ["card"]
    ) throws -> RefundEntry {
        RefundEntry(
            key: ULID(high: 9, low: number), items: items, mode: .offline,
            madeAt: StoreFixture.noon + 60_000, businessDay: try #require(BusinessDay(number: Self.day)),
            cashierId: nil, reason: "dented", smallestCoin: 1, timeZone: "Asia/Shanghai", attachments: [],
            machineTenders: tenders)
    }

    private func refund(
        _ store: StoreFixture, _ sale: Sale, _ number: UInt64 = 1, _ items: [RefundEntry.Item] = [],
        byMachine tenders: Set<String> = ["card"]
    ) async throws -> Refund {
        try await SQLiteOrderArchive(store.database).refund(
            RefundDraft(of: .order(sale.orderId), with: try entry(number, items, byMachine: tenders))
        ).get()
    }

    private func pay(_ store: StoreFixture, _ refundId: String) async throws -> Result<CashMove, OrderRefusal>
    {
        try await SQLiteCardReturns(store.database).payInCash(
            CardReturnPayment(
                refundId: refundId, person: Authorization(cashierId: "c1", approverId: "m1"),
                madeAt: StoreFixture.noon + 120_000,
                businessDay: try #require(BusinessDay(number: Self.day)), timeZone: "Asia/Shanghai"))
    }

    private func payload(_ store: StoreFixture, _ type: String) async throws -> JSONValue? {
        try await SQLiteOutbox(store.database).pending(after: 0, limit: 20)
            .first { $0.type == type }
            .map { try Mutation(json: JSONParser.parse($0.body)).payload }
    }

    @Test("A refund names the tender and the machine's numbers, and its return waits; the same key, once")
    func refunded() async throws {
        let store = try await StoreFixture()
        let sale = try await sell(store)
        let made = try await refund(store, sale)
        #expect(try await refund(store, sale) == made)
        let open = try await SQLiteCardReturns(store.database).open()
        #expect(open == made.returns)
        #expect(open.map(\.amount) == [500] && open[0].state == .waiting)
        #expect(open[0].refundId == made.id && open[0].orderNumber == sale.orderNumber.description)
        let payments = try #require(try await payload(store, "refund.completed")?["payments"]?.array)
        #expect(payments[0]["authorizationKey"] == nil)
        #expect(
            payments[0] == [
                "method": "card", "amount": 500, "state": "refunded",
                "machine": ["reference": "M-1", "approvalCode": "MC1", "key": .string(open[0].key)],
            ])
        #expect(payments[1]["method"] == "cash")
        #expect(made.content.paidInCash == sale.content.totals.total - 500)
        #expect(await store.database.verify() == [])
    }

    @Test(
        "A return that waits for a card is known as one after a restart, and ends by either of its requests")
    func forCard() async throws {
        let store = try await StoreFixture()
        let milk = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        let made = try await refund(store, try await sell(store), 1, [milk])
        let returns = SQLiteCardReturns(store.database)
        try await returns.settle(made.returns[0], as: .waitingForCard)
        let again = SQLiteCardReturns(
            try await StoreFixture(home: store.home.copy(Self.files), enrolled: false).database)
        #expect(try await again.open().map(\.state) == [.waitingForCard])
        #expect(try await returns.returns(of: made.id).map(\.state) == [.waitingForCard])
        try await returns.settle(made.returns[0], as: .requested)
        // The one that is sent where the machine refuses to undo the whole charge.
        try await SQLiteDeviceRequests(store.database).decide(
            DeviceRequest(
                .refund, key: "\(made.id).\(made.returns[0].key).R", chargeKey: made.returns[0].key,
                amount: 120, currency: "CNY", openedAt: 0, state: .declined(reason: "report"),
                origin: .init(kind: .zvt, address: "tcp:m:1"), reported: nil),
            isDone: false, text: "report",
            by: DeviceAct(
                person: Authorization(cashierId: "c1", approverId: "m1"), madeAt: StoreFixture.noon,
                businessDay: try #require(BusinessDay(number: Self.day))))
        #expect(try await returns.open().map(\.state) == [.refused(reason: "report")])
    }

    @Test("What waits for a card is paid in cash where nothing of it was sent, and is no refund any more")
    func cashForCard() async throws {
        let store = try await StoreFixture()
        let milk = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        let returns = SQLiteCardReturns(store.database)
        let requests = SQLiteDeviceRequests(store.database)
        let states: [DeviceRequest.State] = [.intent, .declined(reason: "closed"), .sent]
        for (number, state) in states.enumerated() {
            let sale = try await sell(store, UInt64(number + 1))
            let made = try await refund(store, sale, UInt64(number + 1), [milk])
            let card = made.returns[0]
            try await returns.settle(card, as: .waitingForCard)
            try await requests.keep(
                DeviceRequest(
                    .refund, key: "\(made.id).\(card.key)", chargeKey: card.key, amount: 120,
                    currency: "CNY", openedAt: 0, state: state, origin: nil, reported: nil))
            let paid = try await pay(store, made.id)
            if state == .sent {
                #expect(paid == .failure(.cardReturnWaiting(made.id)))
                #expect(try await returns.open().map(\.state) == [.waitingForCard])
            } else {
                let move = try paid.get()
                #expect(move.amount == 120 && move.reason?.contains("no card was presented") == true)
                #expect(try await returns.returns(of: made.id).map(\.state) == [.paidInCash])
                #expect(try await pay(store, made.id) == .failure(.cardReturnSettled(made.id)))
            }
        }
    }

    @Test("Refunds in steps, and one in cash, return to the card no more than it was charged")
    func steps() async throws {
        let store = try await StoreFixture()
        let sale = try await sell(store)
        let milk = RefundEntry.Item(article: "S1", quantityMilli: 1_000)
        let first = try await refund(store, sale, 1, [milk])
        #expect(first.returns.map(\.amount) == [120])
        let inCash = try await refund(store, sale, 2, [milk], byMachine: [])
        #expect(inCash.returns == [] && inCash.content.paidInCash == 120)
        let rest = try await refund(store, sale, 3)
        #expect(rest.returns.map(\.amount) == [380])
        #expect(try await SQLiteCardReturns(store.database).open().map(\.amount) == [120, 380])
    }

    @Test("A void returns the whole charge, and names it; cash and the hub's cards are none of the machine's")
    func voided() async throws {
        let store = try await StoreFixture()
        let (sale, cash) = (try await sell(store), try await store.sell(2...2)[0])
        let archive = SQLiteOrderArchive(store.database)
        let void = VoidEntry(
            mode: .offline, madeAt: StoreFixture.noon + 1,
            businessDay: try #require(BusinessDay(number: Self.day)), cashierId: nil, reason: nil)
        #expect(try await archive.void(orderId: cash.orderId, with: void).returns == [])
        for _ in 0..<2 {
            let order = try await archive.void(orderId: sale.orderId, with: void)
            #expect(order.returns.map(\.amount) == [500] && order.returns[0].refundId == sale.orderId)
        }
        #expect(try await SQLiteCardReturns(store.database).open().count == 1)
        let types = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9).map(\.type)
        #expect(!types.contains("payment.voided"))
        let voids = try await SQLiteOutbox(store.database).pending(after: 0, limit: 9)
            .filter { $0.type == "order.voided" }
            .map { try Mutation(json: JSONParser.parse($0.body)).payload["payments"] }
        #expect(voids[0] == nil && voids[1]?.array?.first?["machine"]?["reference"] == "M-1")
    }

    @Test("A power cut at any byte leaves the refund with its return, or neither")
    func cut() async throws {
        let store = try await StoreFixture()
        let sale = try await sell(store)
        let start = try store.home.read("terminal.sqlite-wal").count
        _ = try await refund(store, sale)
        let end = try store.home.read("terminal.sqlite-wal").count
        let log = try store.home.read("terminal.sqlite-wal")
        for length in Array(stride(from: start, to: end, by: 1_501)) + [end - 1, end] {
            let copy = try store.home.copy(Self.files)
            try copy.write(Array(log.prefix(length)), to: "terminal.sqlite-wal")
            let again = try await StoreFixture(home: copy, enrolled: false)
            let refunds = try await SQLiteOrderArchive(again.database).order(sale.orderId)?.refunds ?? []
            let open = try await SQLiteCardReturns(again.database).open()
            #expect(refunds.count == (length == end ? 1 : 0), "cut at \(length)")
            #expect(open.count == refunds.count, "cut at \(length)")
            #expect(await again.database.verify() == [])
            again.database.close()
        }
    }

    @Test("The machine's response is kept once, over a crash; a late other one changes nothing")
    func settled() async throws {
        let store = try await StoreFixture()
        let sale = try await sell(store)
        let made = try await refund(store, sale)
        let returns = SQLiteCardReturns(store.database)
        try await returns.settle(made.returns[0], as: .returned)
        let copy = try store.home.copy(Self.files)
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(try await SQLiteCardReturns(again.database).open() == [])
        try await SQLiteCardReturns(again.database).settle(made.returns[0], as: .refused(reason: "late"))
        #expect(
            try await SQLiteOrderArchive(again.database).refund(id: made.id)?.returns[0].state == .returned)
        #expect(try await pay(again, made.id) == .failure(.cardReturnSettled(made.id)))
    }

    @Test("What the machine refused is paid once, from the drawer of the open shift, or by a cut not at all")
    func paid() async throws {
        let store = try await StoreFixture()
        let sale = try await sell(store)
        let made = try await refund(store, sale)
        #expect(try await pay(store, "nothing") == .failure(.unknownCardReturn("nothing")))
        #expect(try await pay(store, made.id) == .failure(.cardReturnWaiting(made.id)))
        try await SQLiteCardReturns(store.database).settle(made.returns[0], as: .refused(reason: "expired"))
        let start = try store.home.read("terminal.sqlite-wal").count
        let move = try await pay(store, made.id).get()
        #expect(move.kind == .out && move.amount == 500 && move.approverId == "m1")
        #expect(try await pay(store, made.id) == .failure(.cardReturnSettled(made.id)))
        #expect(try await SQLiteCardReturns(store.database).open() == [])
        #expect(try await payload(store, "cash.moved")?["amount"] == 500)
        let log = try store.home.read("terminal.sqlite-wal")
        for length in Array(stride(from: start, to: log.count, by: 1_501)) + [log.count - 1] {
            let copy = try store.home.copy(Self.files)
            try copy.write(Array(log.prefix(length)), to: "terminal.sqlite-wal")
            let again = try await StoreFixture(home: copy, enrolled: false)
            let moves = try await again.number("SELECT count(*) FROM journal WHERE type = 'cash.moved'")
            let open = try await SQLiteCardReturns(again.database).open()
            #expect(moves == 0 && open.map(\.state) == [.refused(reason: "expired")], "cut at \(length)")
            again.database.close()
        }
    }

    @Test("A repair carries returns over, and makes those that it cannot read from the journal again")
    func repaired() async throws {
        let store = try await StoreFixture()
        let (one, two, three) = (try await sell(store, 1), try await sell(store, 2), try await sell(store, 3))
        let returns = SQLiteCardReturns(store.database)
        let (first, second) = (try await refund(store, one, 1), try await refund(store, two, 2))
        let third = try await refund(store, three, 3)
        try await returns.settle(first.returns[0], as: .returned)
        try await returns.settle(third.returns[0], as: .refused(reason: "no"))
        _ = try await pay(store, third.id).get()
        func states(_ journal: SalvagedJournal) async throws -> [CardReturn.State] {
            let queue = try journal.inMemory(at: 0)
            return try await queue.read { connection in
                try [first, second, third].flatMap {
                    try CardReturnTable(database: connection).returns(of: $0.id).map(\.state)
                }
            }
        }
        #expect(
            try await states(SalvagedJournal(path: store.home.path + "/terminal.sqlite"))
                == [.returned, .waiting, .paidInCash])
        let copy = store.home.path + "/copy.sqlite"
        try await store.database.access { connection in
            try connection.execute(sql: "DELETE FROM card_returns")
            try connection.execute(sql: "VACUUM INTO '\(copy)'")
        }
        // What was paid in cash is not requested again; what was returned is, and the machine repeats it.
        let journal = SalvagedJournal(path: copy)
        #expect(journal.rows(of: .cardReturns).isEmpty)
        #expect(try await states(journal) == [.waiting, .waiting])
    }
}
