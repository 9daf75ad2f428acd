import Base
import Crypto
import Foundation
import GRDB
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Testing

@testable import Retail
@testable import TerminalStore

@Suite("Shifts on disk")
struct ShiftsOnDiskTests {
    private static let person = Authorization(cashierId: "c1", approverId: nil)

    private func open(_ store: StoreFixture, float: Int64 = 20_000) async throws -> Shift {
        try await SQLiteShifts(store.database).open(
            ShiftDraft(
                float: float, currency: "CNY", person: Self.person, madeAt: StoreFixture.noon,
                businessDay: try #require(BusinessDay(number: 20_261_121)), timeZone: "Asia/Shanghai")
        ).get()
    }

    private func move(
        _ store: StoreFixture, _ kind: CashMove.Kind, _ amount: Int64, key: ULID? = nil
    ) async throws -> Result<CashMove, ShiftRefusal> {
        try await SQLiteShifts(store.database).move(
            CashMoveDraft(
                key: key, kind: kind, amount: amount, currency: "CNY", reason: "coins",
                person: Self.person, madeAt: StoreFixture.noon,
                businessDay: try #require(BusinessDay(number: 20_261_121)), timeZone: "Asia/Shanghai"))
    }

    private func close(_ store: StoreFixture, counted: Int64 = 0) async throws -> Result<Shift, ShiftRefusal>
    {
        try await SQLiteShifts(store.database).close(
            ShiftCount(cash: counted, others: [], person: Self.person, madeAt: StoreFixture.noon + 9))
    }

    @Test("A shift does not close while a cart that is not sold has money of its customer")
    func cartWithMoney() async throws {
        let store = try await StoreFixture()
        _ = try await open(store)
        let carts = SQLiteCarts(store.database)
        func keep(_ number: UInt64, _ kind: TenderKind) async throws {
            let cart = KeptCart(
                id: StoreFixture.key(number), name: nil, since: StoreFixture.noon, lines: [],
                currency: "CNY", total: 9, memberId: nil, coupons: [],
                taken: [TakenTender(method: kind.rawValue, kind: kind, amount: 5000)])
            _ = try await carts.change(cart.id, on: nil, isDeletion: false) { _ in .success(cart) }.get()
        }
        try await keep(1, .card)
        try await keep(2, .voucher)
        let cart = StoreFixture.key(2).description
        #expect(try await close(store) == .failure(.cartHasMoney("50.00 CNY", cart: cart)))
        #expect(try await SQLiteShifts(store.database).openShiftId() != nil)
        // Its sale has the money; a card was never charged.
        _ = try await store.ledger.commit(try StoreFixture.draft(2))
        #expect(try await close(store).get().closing != nil)
    }

    private func void(_ sale: Sale, in store: StoreFixture) async throws {
        let entry = VoidEntry(
            mode: .offline, madeAt: StoreFixture.noon + 1,
            businessDay: try #require(BusinessDay(number: 20_261_121)), cashierId: nil, reason: nil)
        _ = try await SQLiteOrderArchive(store.database).void(orderId: sale.orderId, with: entry)
    }

    private func refund(_ sale: Sale, _ number: UInt64, in store: StoreFixture) async throws {
        let entry = RefundEntry(
            key: ULID(high: 9, low: number),
            items: [RefundEntry.Item(article: "S1", quantityMilli: 1_000)], mode: .offline,
            madeAt: StoreFixture.noon + 2, businessDay: try #require(BusinessDay(number: 20_261_121)),
            cashierId: "c2", reason: "dented", smallestCoin: 1, timeZone: "Asia/Shanghai",
            attachments: [])
        _ = try await SQLiteOrderArchive(store.database).refund(
            RefundDraft(of: .order(sale.orderId), with: entry)
        ).get()
    }

    /// What all entries with the shift's id come to, read plainly.
    private func journalSums(_ store: StoreFixture, of id: String) async throws -> ShiftSums {
        let bodies = try await store.database.read { connection in
            try Blob.fetchAll(
                connection,
                sql: "SELECT body FROM journal WHERE verdict IS NOT 'superseded' ORDER BY sequence"
            ).map(\.bytes)
        }
        let mutations = try bodies.map { try Mutation(json: JSONParser.parse($0)) }
        var tally = ShiftTally()
        for mutation in mutations where mutation.payload["shiftId"]?.string == id {
            let orderId = ShiftTally.voidedOrder(by: mutation.type, mutation.payload)
            tally.add(
                id: mutation.id, type: mutation.type, payload: mutation.payload,
                voided: orderId.flatMap { id in
                    mutations.last { $0.type == "order.completed" && $0.entityId == id }?.payload
                })
        }
        return tally.sums
    }

    @Test(
        "X and Z come to the journal's sum, over as many portions as there are, and lie where it says",
        arguments: [3, 199, 200, 430])
    func sums(sales: Int) async throws {
        let store = try await StoreFixture()
        let before = try await store.sell(1...1)[0]
        let shift = try await open(store)
        #expect(shift.state == .open && shift.from == 2 && shift.to == 2)
        let sold = try await store.sell(2...UInt64(sales + 1))
        try await void(sold[0], in: store)
        // The void of an earlier sale takes its money out of this drawer.
        try await void(before, in: store)
        try await refund(sold[1], 1, in: store)
        _ = try await move(store, .in, 500).get()
        _ = try await move(store, .out, 200).get()
        _ = try await move(store, .drop, 90).get()
        _ = try await move(store, .noSale, 0).get()
        let shifts = SQLiteShifts(store.database)
        let x = try await shifts.shift(shift.opening.shiftId).get()
        let journal = try await journalSums(store, of: shift.opening.shiftId)
        #expect(x.sums == journal && x.sums.sales.count == sales && x.sums.voids.count == 2)
        let cash = journal.tenders.first { $0.method == "cash" }?.amount ?? 0
        #expect(x.expectedCash == 20_000 + cash + 500 - 200 - 90)
        let z = try await close(store, counted: 7).get()
        #expect(z.sums == journal && z.from == 2 && z.to == x.to && z.head == x.head)
        #expect(z.closing?.cash == ShiftClosing.Cash(expected: x.expectedCash, counted: 7))
        #expect(z.state == .provisional)
        // What comes later changes nothing.
        try await void(try await store.sell(9_000...9_000)[0], in: store)
        #expect(try await shifts.shift(shift.opening.shiftId).get() == z)
        let head = try await store.database.read { connection in
            try String.fetchOne(connection, sql: "SELECT hash FROM journal WHERE sequence = \(z.to)")
        }
        #expect(head == nil || head == z.head)
        #expect(await store.database.verify() == [])
    }

    @Test("A sale that a barcode was tendered in is named by X and Z, and the shift closes")
    func unreadable() async throws {
        let store = try await StoreFixture()
        let shift = try await open(store)
        try await store.sell(1...2)
        let usual = try StoreFixture.draft(3)
        let like = usual.content
        let content = SaleContent(
            mode: like.mode, madeAt: like.madeAt, timeZone: like.timeZone, currency: like.currency,
            cashierId: nil, memberId: nil, coupons: [], lines: like.lines, totals: like.totals,
            payments: [SalePayment(method: .cash, amount: 690_123_456_789_200)], cashRounding: 0,
            change: 690_123_456_789_200 - like.totals.total)
        let sale = try await store.ledger.commit(
            SaleDraft(key: usual.key, orderId: nil, businessDay: usual.businessDay, content: content)
        ).sale
        // Its void cannot be counted either.
        try await void(sale, in: store)
        let x = try await SQLiteShifts(store.database).shift(shift.opening.shiftId).get()
        #expect(x.sums.sales.count == 2 && x.sums.uncounted.count == 2)
        #expect(x.sums.uncounted.ids.contains(sale.mutationId))
        let z = try await close(store, counted: 1).get()
        #expect(try await journalSums(store, of: shift.opening.shiftId) == z.sums && z.sums == x.sums)
        let policy = CheckoutPolicy(
            calendar: try #require(BusinessCalendar(timeZone: "Asia/Shanghai")), receiptHeader: [])
        #expect(ShiftReport(shift: z, policy: policy).text.contains(sale.mutationId))
        _ = try await open(store)
    }

    @Test("One shift at a time; cash moves in a shift alone, and the same key moves it once")
    func rules() async throws {
        let store = try await StoreFixture()
        let shifts = SQLiteShifts(store.database)
        #expect(try await close(store) == .failure(.noneOpen))
        #expect(try await move(store, .in, 5) == .failure(.noneOpen))
        #expect(try await move(store, .noSale, 0).get().shiftId == nil)
        let first = try await open(store)
        let id = first.opening.shiftId
        let again = try await shifts.open(
            ShiftDraft(
                float: 1, currency: "CNY", person: Self.person, madeAt: StoreFixture.noon,
                businessDay: try #require(BusinessDay(number: 20_261_121)), timeZone: "Asia/Shanghai"))
        #expect(again == .failure(.alreadyOpen(shiftId: id)))
        let key = ULID(high: 3, low: 3)
        let moved = try await move(store, .in, 5, key: key).get()
        #expect(try await move(store, .in, 5, key: key).get() == moved)
        #expect(try await shifts.shift(id).get().sums.cashMoves[.in] == 5)
        #expect(try await shifts.shift("nothing") == .failure(.unknown("nothing")))
        _ = try await close(store).get()
        let second = try await open(store, float: 0)
        #expect(try await shifts.shifts(limit: 9).map(\.opening.shiftId) == [second.opening.shiftId, id])
        #expect(try await shifts.shifts(limit: 1).map(\.state) == [.open])
        #expect(try await shifts.shift(second.opening.shiftId).get().sums == ShiftSums())
    }

    /// The hub's change feed brings statements.
    private func pull(_ statements: [ShiftStatement], _ cursor: String, into store: StoreFixture) async throws
    {
        let changes = statements.map { statement in
            Change(
                entity: ShiftStatement.entity,
                entityId: "\(statement.shiftId)-\(statement.epoch)-\(statement.terminalId)", version: 1,
                isDeleted: false, deletedAt: nil, hlc: "h", origin: nil, value: statement.json)
        }
        try await SQLiteCatalogue(store.database, now: { 0 }).apply(
            ChangePage(changes: changes, cursor: cursor, hasMore: false))
    }

    @Test("A statement confirms a shift by a pinned key, about this terminal, once the hub has the closing")
    func trusted() async throws {
        let store = try await StoreFixture()
        let (key, stranger) = (Curve25519.Signing.PrivateKey(), Curve25519.Signing.PrivateKey())
        try await SQLiteTerminalFacts(store.database).pin(
            HubKeyList(
                signing: [
                    HubPublicKey(
                        id: "k", publicKey: key.publicKey.rawRepresentation.base64EncodedString(),
                        notAfter: "2031-01-01T00:00:00.000Z")
                ], sealing: []))
        let shift = try await open(store)
        try await store.sell(1...2)
        let z = try await close(store).get()
        let id = shift.opening.shiftId
        func signed(
            by signer: Curve25519.Signing.PrivateKey, of terminalId: String = "t-3", epoch: Int64 = 1,
            to end: Int64? = nil
        ) throws -> ShiftStatement {
            var statement = ShiftStatement(
                terminalId: terminalId, epoch: epoch, shiftId: id, from: z.from, to: end ?? z.to,
                head: end == nil ? z.head : "ab", received: (end ?? z.to) - z.from + 1, currency: "CNY",
                sums: z.sums, issuedAt: 5_000)
            statement.keyId = "k"
            statement.signature = try signer.signature(for: statement.signedBytes).base64EncodedString()
            return statement
        }
        func state() async throws -> ShiftSettlement.State {
            let shifts = SQLiteShifts(store.database)
            let shown = try await shifts.shift(id).get()
            #expect(try await shifts.shifts(limit: 1) == [shown])
            return shown.state
        }
        try await pull([try signed(by: key)], "c1", into: store)
        #expect(try await state() == .provisional, "the hub does not have the closing yet")
        let closing = try await store.database.read { connection in
            try String.fetchOne(
                connection, sql: "SELECT id FROM journal WHERE type = 'shift.closed'")
        }
        try await SQLiteOutbox(store.database).record(
            [PushResult(id: try #require(closing), outcome: .applied, document: "{}")],
            acknowledgedThrough: z.to + 1)
        #expect(try await state() == .confirmed)
        try await pull([try signed(by: stranger)], "c2", into: store)
        #expect(try await state() == .provisional, "signed by nobody whom this terminal knows")
        try await pull([try signed(by: key, of: "t-4")], "c3", into: store)
        #expect(try await state() == .provisional, "another terminal's")
        var changed = try signed(by: key)
        changed.sums.sales.total += 1
        try await pull([changed], "c4", into: store)
        #expect(try await state() == .provisional, "changed behind its signature")
        // The hub has another end of this shift: a clone closed it.
        try await pull([try signed(by: key), try signed(by: key, epoch: 2, to: 3)], "c5", into: store)
        #expect(try await state() == .disputed)
        // After a new enrolment the statement is still about the terminal of then.
        try await SQLiteOutbox(store.database).record(
            try await store.database.read { connection in
                try String.fetchAll(connection, sql: "SELECT id FROM journal WHERE verdict IS NULL")
            }.map { PushResult(id: $0, outcome: .applied, document: "{}") }, acknowledgedThrough: z.to + 1)
        try await SQLiteTerminalFacts(store.database).enrol(
            Enrolment(
                terminalId: "t-9", storeId: "north-7", terminalNumber: 9, token: "secret",
                tokenExpiresAt: "2027-01-01T00:00:00.000Z"), epoch: 1,
            hubKeys: try await SQLiteTerminalFacts(store.database).hubKeys())
        try await pull([try signed(by: key)], "c6", into: store)
        #expect(try await store.database.read { try ShiftReader($0).shift(id)?.statements.first?.epoch } == 1)
    }

    @Test("A sale that needs a shift is not recorded without one, also when it closed meanwhile")
    func required() async throws {
        let store = try await StoreFixture()
        var draft = try StoreFixture.draft(1)
        draft.requiresShift = true
        #expect(try await store.ledger.openShift() == nil)
        await #expect(throws: StorageError.self) { try await store.ledger.commit(draft) }
        #expect(try await store.number("SELECT count(*) FROM orders") == 0)
        let shift = try await open(store)
        #expect(try await store.ledger.openShift() != nil)
        let sale = try await store.ledger.commit(draft).sale
        #expect(sale.content.shiftId == shift.opening.shiftId)
        _ = try await close(store).get()
        draft = try StoreFixture.draft(2)
        draft.requiresShift = true
        await #expect(throws: StorageError.self) { try await store.ledger.commit(draft) }
        // A repetition of the sale that was recorded is still that sale.
        #expect(try await store.ledger.commit(try StoreFixture.draft(1)).sale.orderId == sale.orderId)
    }

    @Test("A sale that the hub refused and that was sent again counts once, in its shift")
    func resent() async throws {
        let store = try await StoreFixture()
        let shift = try await open(store)
        let sales = try await store.sell(1...3)
        let shifts = SQLiteShifts(store.database)
        let before = try await shifts.shift(shift.opening.shiftId).get().sums
        try await SQLiteOutbox(store.database).record(
            [
                PushResult(
                    id: sales[0].mutationId, outcome: .rejected,
                    document: "{\"problem\":{\"detail\":\"no\"}}")
            ], acknowledgedThrough: 1)
        _ = try await Refusals(SQLiteRefusals(store.database)).resend(sales[0].mutationId)
        #expect(try await shifts.shift(shift.opening.shiftId).get().sums == before)
        #expect(try await close(store).get().sums == before)
    }

    @Test("An open shift outlives the program and the repair of its database")
    func kept() async throws {
        let store = try await StoreFixture()
        let shift = try await open(store)
        try await store.sell(1...5)
        let card = StoredCard(
            token: "01KB0000000000000000000001", amount: 656, currency: "CNY",
            businessDay: try #require(BusinessDay(number: 20_261_121)),
            takenAt: MachineMoment(wall: 5, boot: 6, bootId: "b"), shiftId: shift.opening.shiftId,
            state: .declined(reason: "stolen card"))
        try await store.database.write { connection in
            try SQLiteStoredCards.insert(card, orderId: "o", in: connection)
        }
        try await SQLiteStoredCards(store.database, home: store.home.path).settle(card)
        let files = ["terminal.sqlite", "terminal.sqlite-wal"]
        let copy = try withExtendedLifetime(store) { try store.home.copy(files) }
        let undamaged = try copy.copy(files)
        let reopened = try TerminalDatabase.open(home: undamaged.path)
        #expect(try await SQLiteShifts(reopened).openShiftId() == shift.opening.shiftId)
        var bytes = try copy.read("terminal.sqlite")
        for index in 0..<min(100, bytes.count) { bytes[index] = 7 }
        try copy.write(bytes, to: "terminal.sqlite")
        _ = try DatabaseRepair(home: copy.path).run(at: StoreFixture.noon)
        let repaired = try TerminalDatabase.open(home: copy.path)
        #expect(try await SQLiteShifts(repaired).openShiftId() == shift.opening.shiftId)
        let sums = try await SQLiteShifts(repaired).shift(shift.opening.shiftId).get().sums
        #expect(sums.sales.count == 5)
        // The file beside the database is not here, so the list may lack some.
        let cards = try await SQLiteStoredCards(repaired, home: copy.path).cards()
        #expect(cards == StoredCards([card], isComplete: false))
    }
}
