import Base
import GRDB
import HubProtocol
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Carts on disk")
struct SQLiteCartsTests {
    private func cart(_ number: UInt64, at parkedAt: Int64 = StoreFixture.noon) -> KeptCart {
        KeptCart(
            id: StoreFixture.key(number), name: "帽子 \"red\"", since: parkedAt,
            lines: [
                KeptCart.Line(
                    entry: EnteredLine(
                        barcode: "690:1", quantityMilli: 1500, unitPriceMinor: 80, discountMinor: 5,
                        discountReason: "dented"), sku: "S1", name: "Tea", total: 115),
                KeptCart.Line(entry: EnteredLine(barcode: "691"), sku: "S2", name: "Pot", total: 9),
                KeptCart.Line(
                    entry: EnteredLine(
                        barcode: "", unitPriceMinor: 7,
                        department: "a/b", taxBasisPoints: 700), sku: "a/b", name: "a/b",
                    total: 7),
            ], currency: "JPY", total: 124, memberId: "+86 138", coupons: ["A", ""])
    }

    @Test("are read as they were kept, the oldest first, also from a copy of the files after a crash")
    func kept() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        #expect(try await carts.carts() == [])
        try await carts.keep(cart(1, at: StoreFixture.noon + 1))
        try await carts.keep(cart(2))
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = try await StoreFixture(home: copy, enrolled: false)
        #expect(
            try await SQLiteCarts(again.database).carts() == [cart(2), cart(1, at: StoreFixture.noon + 1)])
    }

    @Test("are replaced by their id, and deleted")
    func replaced() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await carts.keep(cart(1))
        var resumed = cart(1)
        resumed.resumedAt = StoreFixture.noon + 5
        try await carts.keep(resumed)
        #expect(try await carts.carts() == [resumed])
        try await carts.drop(resumed)
        #expect(try await carts.carts() == [])
    }

    @Test("are deleted by their sale's transaction")
    func sold() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await carts.keep(cart(1))
        try await carts.keep(cart(2))
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
        #expect(try await carts.carts().map(\.id) == [StoreFixture.key(2)])
        #expect(try await store.number("SELECT count(*) FROM carts") == 1)
    }

    @Test("a repair carries them over, and leaves out one whose content is not whole")
    func repaired() async throws {
        let store = try await StoreFixture()
        try await store.sell(10...12)
        let carts = SQLiteCarts(store.database)
        var resumed = cart(2)
        resumed.resumedAt = StoreFixture.noon + 5
        for cart in [cart(1), resumed, cart(3)] { try await carts.keep(cart) }
        try await store.database.write { connection in
            try connection.execute(
                sql: "UPDATE carts SET content = substr(content, 3) WHERE cart_id = ?",
                arguments: [StoreFixture.key(3).description])
        }
        #expect(try await SQLiteCarts(Self.repaired(store)).carts() == [cart(1), resumed])
    }

    @Test("a repair brings none back that is sold, although pages of before its sale are read too")
    func repairedBehindSale() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        for cart in [cart(1), cart(2)] { try await carts.keep(cart) }
        // Both stand in the database, and the sale's deletion in the log alone.
        _ = try await store.database.access { connection in try connection.checkpoint(.truncate) }
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
        #expect(try await SQLiteCarts(Self.repaired(store)).carts() == [cart(2)])
    }

    /// A copy of the files whose first page cannot be read, repaired.
    private static func repaired(_ store: StoreFixture) throws -> TerminalDatabase {
        let home = try store.home.copy([
            "terminal.sqlite", "terminal.sqlite-wal", "high-water.json", "device.secret",
        ])
        var bytes = try home.read("terminal.sqlite")
        if bytes.count < 100 { bytes += Array(repeating: 0, count: 100 - bytes.count) }
        for index in 0..<100 { bytes[index] = 7 }
        try home.write(bytes, to: "terminal.sqlite")
        _ = try DatabaseRepair(home: home.path).run(at: StoreFixture.noon)
        return try TerminalDatabase.open(home: home.path)
    }

    // MARK: - Front ends

    private static let (counter, other) = (
        FrontEnd("01J0000000000000000000000A;counter"), FrontEnd("01J0000000000000000000000B;other")
    )

    private static let cash = TakenTender(method: "cash", kind: .cash, amount: 5000)
    private static let card = TakenTender(method: "card", kind: .card, amount: 3900)

    private func open(
        _ number: UInt64, _ frontEnd: FrontEnd, taken: [TakenTender] = [], revision: Int64 = 1
    ) -> KeptCart {
        var cart = cart(number)
        cart.state = .open(frontEnd)
        (cart.taken, cart.revision, cart.cashierId) = (taken, revision, "anna")
        return cart
    }

    @Test("keep what was taken, whose screen they are on and who is signed in over a crash")
    func taken() async throws {
        let store = try await StoreFixture()
        var counter = try #require(Self.counter)
        counter.process = FrontEndProcess(bootId: "b1", identity: .init(pid: 7, startedAt: 100))
        let voucher = TakenTender(method: "voucher", kind: .voucher, amount: 7, reference: "V-1")
        let kept = open(1, counter, taken: [Self.cash, Self.card, voucher], revision: 9)
        try await SQLiteCarts(store.database).keep(kept)
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = SQLiteCarts(try await StoreFixture(home: copy, enrolled: false).database)
        #expect(try await again.carts() == [kept])
        #expect(try await again.carts().first?.state.frontEnd?.process == counter.process)
        #expect(try await again.place(of: kept.id)?.screen?.text == counter.text)
        #expect(kept.inHand == 5007)
    }

    @Test("keep the goods that come back for them, also while they wait for a card")
    func exchange() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        let counter = try #require(Self.counter)
        let origins: [RefundRequest.Origin] = [.order("O-1"), .receipt("HF1.x"), .nothing]
        for (number, origin) in origins.enumerated() {
            var kept = open(UInt64(number + 1), counter)
            kept.returns = RefundRequest(
                of: origin,
                items: [
                    .init(article: "690", quantityMilli: 1500), .init(article: "691", unitPriceMinor: 9),
                ], by: PersonClaim(), reason: number == 0 ? "too small" : nil)
            try await carts.keep(kept)
            #expect(try await carts.carts().last == kept)
            try await store.database.write { [kept] connection in
                var waiting = kept
                waiting.returns = nil
                try SQLiteCarts.suspend(waiting, in: connection)
            }
            #expect(try await carts.carts().last?.returns == kept.returns)
        }
    }

    @Test("the one on a screen is found by its front end, without it the one that changed last")
    func openCart() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        let (counter, other) = (try #require(Self.counter), try #require(Self.other))
        #expect(try await carts.openCart(of: nil) == nil)
        try await carts.keep(open(1, counter), on: counter)
        try await carts.keep(open(2, other), on: other)
        #expect(try await carts.openCart(of: counter)?.id == StoreFixture.key(1))
        #expect(try await carts.openCart(of: nil)?.id == StoreFixture.key(2))
        _ = try await carts.leave(other)
        #expect(try await carts.openCart(of: other) == nil)
        #expect(try await carts.openCart(of: nil)?.id == StoreFixture.key(1))
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
        #expect(try await carts.openCart(of: nil) == nil)
    }

    @Test("one screen has one cart: the one before is left, with its money, and is never deleted")
    func oneScreenOneCart() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        let (counter, other) = (try #require(Self.counter), try #require(Self.other))
        try await carts.keep(open(1, counter, taken: [Self.cash]), on: counter)
        try await carts.keep(open(2, other), on: other)
        try await carts.keep(open(3, counter), on: counter)
        #expect(
            try await carts.carts().map(\.state) == [.left(counter), .open(other), .open(counter)])
        #expect(try await carts.carts().first?.taken == [Self.cash])
        #expect(try await carts.leave(other) == 1)
        #expect(try await carts.leave(other) == 0)
        #expect(try await carts.place(of: StoreFixture.key(2))?.screen == nil)
    }

    @Test("what runs inside the agent's process ends with it, others have time to come back")
    func ofAgent() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        let inside = try #require(FrontEnd("01J0000000000000000000000A;counter", isOfAgent: true))
        let other = try #require(Self.other)
        try await carts.keep(open(1, inside))
        try await carts.keep(open(2, other))
        #expect(try await carts.leave(nil) == 1)
        #expect(try await carts.carts().map(\.state) == [.left(inside), .open(other)])
    }

    @Test("a sold one is not changed, and its refusal has number and time; a refused change changes nothing")
    func soldOne() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await carts.keep(cart(1))
        try await carts.keep(cart(2))
        let sale = try await store.ledger.commit(try StoreFixture.draft(1)).sale
        let cart = cart(1)
        let again = try await carts.change(cart.id, on: nil, isDeletion: false) { _ in .success(cart) }
        #expect(
            again
                == .failure(
                    .alreadySold(orderNumber: sale.orderNumber.description, soldAt: StoreFixture.noon)))
        #expect(try await carts.sale(of: cart.id)?.orderNumber == sale.orderNumber.description)
        let refused = try await carts.change(StoreFixture.key(2), on: nil, isDeletion: true) { _ in
            .failure(.inUse(nil))
        }
        #expect(refused == .failure(.inUse(nil)))
        #expect(try await carts.carts().map(\.id) == [StoreFixture.key(2)])
    }

    @Test("a cart on a screen stays there, with what was taken, while its card is unknown")
    func suspended() async throws {
        let store = try await StoreFixture()
        let counter = try #require(Self.counter)
        let carts = SQLiteCarts(store.database)
        try await carts.keep(open(1, counter, taken: [Self.cash], revision: 4))
        let intent = try await SQLiteCardIntents(store.database).open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 9, currency: "JPY",
                channel: .service), at: StoreFixture.noon)
        try await SQLiteCardIntents(store.database).suspend([intent], as: cart(1))
        let kept = try #require(try await carts.carts().first)
        #expect(kept.state == .open(counter) && kept.taken == [Self.cash] && kept.revision == 4)
    }

    @Test(
        "a power cut at any byte of the log leaves what was taken once it was confirmed, and each cart whole")
    func cutLog() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        let counter = try #require(Self.counter)
        var ends = [try store.home.read("terminal.sqlite-wal").count]
        var states: [[Int64]] = [[]]
        for amount in [100, 250, 900] as [Int64] {
            let taken = [TakenTender(method: "cash", kind: .cash, amount: amount)]
            try await carts.keep(open(1, counter, taken: taken), on: counter)
            states.append([amount])
            ends.append(try store.home.read("terminal.sqlite-wal").count)
        }
        _ = try await carts.change(StoreFixture.key(1), on: counter, isDeletion: true) { before in
            before.map(Result.success) ?? .failure(.unknownCart(""))
        }
        states.append([])
        ends.append(try store.home.read("terminal.sqlite-wal").count)
        let log = try store.home.read("terminal.sqlite-wal")
        var lengths = Array(stride(from: ends[0], through: log.count, by: 3001))
        lengths += ends.flatMap { [$0 - 1, $0, $0 + 1] }.filter { $0 >= ends[0] && $0 <= log.count }
        for length in lengths {
            let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
            try copy.write(Array(log.prefix(length)), to: "terminal.sqlite-wal")
            let again = try await StoreFixture(home: copy, enrolled: false)
            let found = try await SQLiteCarts(again.database).carts().map(\.inHand)
            #expect(found == states[ends.count { $0 <= length } - 1], "cut at \(length)")
            again.database.close()
        }
    }
}

extension SQLiteCarts {
    /// Writes a cart over whatever is there.
    func drop(_ cart: KeptCart) async throws {
        _ = try await change(cart.id, on: nil, isDeletion: true) { _ in .success(cart) }
    }

    fileprivate func keep(_ cart: KeptCart, on screen: FrontEnd? = nil) async throws {
        _ = try await change(cart.id, on: screen, isDeletion: false) { _ in .success(cart) }.get()
    }
}
