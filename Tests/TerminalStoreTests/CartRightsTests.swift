import Base
import GRDB
import HubProtocol
import Retail
import Testing

@testable import TerminalStore

/// The right to sell a cart, on the disks of the till that has it and of the one that takes it.
@Suite("Carts that move between tills, on disk")
struct CartRightsTests {
    private static let other = "t-4"

    private func cart(_ number: UInt64 = 1) -> KeptCart {
        var cart = KeptCart(
            id: StoreFixture.key(number), name: "red hat", since: StoreFixture.noon,
            lines: [
                KeptCart.Line(
                    entry: EnteredLine(
                        barcode: "690:1", quantityMilli: 1500, unitPriceMinor: 80, discountMinor: 5,
                        discountReason: "dented"), sku: "S1", name: "Tea", total: 115)
            ], currency: "JPY", total: 115, memberId: "+86 138", coupons: ["A"], points: 7)
        cart.returns = RefundRequest(
            of: .receipt("HF1.x"), items: [.init(article: "690", quantityMilli: 500)], by: PersonClaim())
        cart.cashierId = "anna"
        cart.journey = CartJourney()
        return cart
    }

    private static func card(of cart: KeptCart) -> CardRequest {
        CardRequest(saleKey: cart.id, orderId: nil, method: "card", amount: 1, currency: "JPY")
    }

    private func claim(_ cart: KeptCart, _ id: String = "c1") -> RightClaim {
        RightClaim(claimId: id, kind: .cart, right: cart.id.description)
    }

    private func keep(_ cart: KeptCart, in store: StoreFixture) async throws {
        _ = try await SQLiteCarts(store.database).change(cart.id, on: nil, isDeletion: false) { _ in
            .success(cart)
        }.get()
    }

    private func reserve(
        _ cart: KeptCart, in store: StoreFixture, _ id: String = "c1", epoch: Int64 = 1
    ) async throws -> SQLiteRights.Reservation {
        try await SQLiteRights(store.database).reserve(
            claim(cart, id), for: Self.other, turn: 2, epoch: epoch, refunds: [:], at: 9)
    }

    private func grant(
        _ cart: KeptCart, to taker: String = CartRightsTests.other, turn: Int64 = 2, _ id: String = "c1"
    ) -> GrantedRight { GrantedRight(claim(cart, id), of: .cart, to: taker, turn: turn, madeAt: 9) }

    @Test("What is larger than an owner may send is not adopted")
    func tooLarge() async throws {
        let store = try await StoreFixture()
        var moved = MovedCart(cart())
        func adopted(_ number: UInt64) async throws -> Bool {
            try await SQLiteRights(store.database).adopt(
                grant(cart(number), to: "t-3", "k\(number)"), grants: [], origin: Self.other,
                content: moved.json, at: 9)
        }
        #expect(try await adopted(1))
        guard case .object(var members)? = moved.content, let line = members["lines"]?.array?.first else {
            Issue.record("a cart has lines")
            return
        }
        members["lines"] = .array(Array(repeating: line, count: 400))
        moved.content = .object(members)
        #expect(try await !adopted(2))
        #expect(try await SQLiteCarts(store.database).carts().map(\.id) == [cart(1).id])
    }

    @Test("Claims on carts are read as they were kept; the oldest of too many go")
    func wantedCarts() async throws {
        let store = try await StoreFixture()
        let rights = SQLiteRights(store.database)
        for number in 0..<NeighbourLimits.cartClaimsKept + 3 {
            let claim = RightClaim(claimId: "k\(number)", kind: .cart, right: "C", origin: "t-9")
            try await rights.keep(claim, of: Self.other, at: Int64(number))
            if number == 0 {
                let kept = try await rights.wantedCarts()
                #expect(kept.map(\.claim) == [claim] && kept.map(\.owner) == [Self.other])
            }
        }
        let kept = Set(try await rights.wantedCarts().map(\.claim.claimId))
        #expect(kept.count == NeighbourLimits.cartClaimsKept && kept.isDisjoint(with: ["k0", "k1", "k2"]))
    }

    @Test("Once reserved, the owner neither sells, resumes, drops nor keeps it; the same claim has it again")
    func gone() async throws {
        let store = try await StoreFixture()
        let carts = SQLiteCarts(store.database)
        try await keep(cart(), in: store)
        for _ in 0..<2 { #expect(try await reserve(cart(), in: store) == .granted(grant(cart()))) }
        #expect(try await reserve(cart(), in: store, "c2") == .refused(.granted, to: Self.other))
        #expect(try await carts.carts() == [])
        #expect(try await carts.taker(of: cart().id) == Self.other)
        // Its taker may go down with it: what was in it is here.
        let given = try await SQLiteRights(store.database).given(cart().id.description)
        #expect(given?.content == MovedCart(cart()) && given?.turn == 2)
        for isDeletion in [false, true] {
            let changed = try await carts.change(cart().id, on: nil, isDeletion: isDeletion) { _ in
                .success(cart())
            }
            #expect(changed == .failure(.elsewhere(.granted(to: Self.other), cart().id.description)))
        }
        await #expect(throws: StorageError.cartGranted(to: Self.other)) {
            try await store.ledger.commit(try StoreFixture.draft(1))
        }
        await #expect(throws: StorageError.cartGranted(to: Self.other)) {
            try await SQLiteCardIntents(store.database).open(
                Self.card(of: cart()), at: StoreFixture.noon)
        }
        #expect(try await store.number("SELECT count(*) FROM journal") == 0)
    }

    @Test("What is on a screen, has money, waits for a card, is sold, too long or of an earlier epoch stays")
    func refused() async throws {
        let store = try await StoreFixture()
        let screen = try #require(FrontEnd("01J0000000000000000000000A;counter"))
        var changed = cart()
        func refusal(_ epoch: Int64 = 1) async throws -> SQLiteRights.Reservation {
            try await keep(changed, in: store)
            defer { changed = cart() }
            return try await reserve(changed, in: store, epoch: epoch)
        }
        changed.state = .open(screen)
        #expect(try await refusal() == .refused(.inUse))
        changed.state = .left(screen)
        #expect(try await refusal() == .refused(.inUse))
        changed.resumedAt = 5
        #expect(try await refusal() == .refused(.inUse))
        changed.taken = [TakenTender(method: "card", kind: .card, amount: 5)]
        #expect(try await refusal() == .refused(.hasMoney))
        #expect(try await refusal(2) == .refused(.notMine))
        changed.journey?.grants = Array(repeating: [:], count: ClaimResponse.mostGrants)
        #expect(try await refusal() == .refused(.notMine))
        let long = EnteredLine(barcode: String(repeating: "9", count: 50_000))
        changed = KeptCart(
            id: cart().id, name: nil, since: 1,
            lines: [KeptCart.Line(entry: long, sku: "S", name: "N", total: 1)], currency: "JPY", total: 1,
            memberId: nil, coupons: [])
        #expect(try await refusal() == .refused(.notMine))
        _ = try await SQLiteCardIntents(store.database).open(
            Self.card(of: cart()), at: StoreFixture.noon)
        #expect(try await refusal() == .refused(.hasMoney))
        try await store.sell(1...1)
        #expect(try await reserve(cart(), in: store) == .refused(.sold))
        #expect(try await reserve(cart(2), in: store) == .refused(.notMine))
    }

    @Test("A reservation that no till heard of gives the cart back as it was; one with its note does not")
    func unreserved() async throws {
        let store = try await StoreFixture()
        let (carts, rights) = (SQLiteCarts(store.database), SQLiteRights(store.database))
        try await keep(cart(), in: store)
        _ = try await reserve(cart(), in: store)
        #expect(try await rights.known().reserved == [grant(cart())])
        try await rights.unreserve(Self.other, "c1")
        #expect(try await carts.carts() == [cart()])
        _ = try await reserve(cart(), in: store)
        try await rights.noteWritten(grant(cart()))
        try await rights.unreserve(Self.other, "c1")
        #expect(try await carts.carts() == [])
        #expect(try await rights.known().given == [grant(cart())])
    }

    @Test("Wherever the log of the database is cut, the cart is here or given away, never both or neither")
    func cut() async throws {
        let store = try await StoreFixture()
        try await keep(cart(), in: store)
        let start = try store.home.read("terminal.sqlite-wal").count
        _ = try await reserve(cart(), in: store)
        let log = try store.home.read("terminal.sqlite-wal")
        #expect(log.count > start)
        var outcomes: Set<Bool> = []
        for end in stride(from: start, through: log.count, by: 509) + [log.count] {
            let home = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
            try home.write(Array(log.prefix(end)), to: "terminal.sqlite-wal")
            let again = try await StoreFixture(home: home, enrolled: false)
            let isHere = try await SQLiteCarts(again.database).carts() == [cart()]
            let isGiven = try await SQLiteRights(again.database).known().reserved == [grant(cart())]
            #expect(isHere != isGiven, "cut at \(end) of \(log.count)")
            outcomes.insert(isHere)
        }
        #expect(outcomes == [true, false])
    }

    @Test("Its taker has it once, with all but money and cashier; after its sale it does not come back")
    func adopted() async throws {
        let store = try await StoreFixture()
        let (carts, rights) = (SQLiteCarts(store.database), SQLiteRights(store.database))
        let (sent, grant) = (MovedCart(cart()).json, grant(cart(), to: "t-3"))
        #expect(sent.canonicalText.contains("red hat") && !sent.canonicalText.contains("anna"))
        let notes: [JSONValue] = [["number": 1]]
        func adopt(_ content: JSONValue?) async throws -> Bool {
            try await rights.adopt(grant, grants: notes, origin: Self.other, content: content, at: 11)
        }
        #expect(try await !adopt(nil))
        #expect(try await !adopt(["currency": "JPY"]))
        for _ in 0..<2 { #expect(try await adopt(sent)) }
        let kept = try #require(try await carts.carts().first)
        #expect(kept.lines == cart().lines && kept.memberId == "+86 138" && kept.coupons == ["A"])
        #expect(kept.points == 7 && kept.returns == cart().returns && kept.taken.isEmpty)
        #expect(kept.journey?.turn == 2 && kept.journey?.origin == Self.other)
        #expect(kept.journey?.grants == notes && kept.cashierId == nil)
        let known = try await rights.known()
        #expect(known.held == [grant] && known.given.isEmpty)
        #expect(try await rights.carts().unnamed == [grant])

        let sale = try await store.ledger.commit(try StoreFixture.draft(1)).sale
        let payload = try await store.database.read {
            try String.fetchOne(
                $0, sql: "SELECT CAST(body AS TEXT) FROM journal ORDER BY sequence DESC LIMIT 1")
        }
        #expect(payload?.contains("\"cartId\":\"\(sale.key)\"") == true)
        #expect(payload?.contains("copiedFrom") == false)
        #expect(try await adopt(sent))
        let late = self.grant(cart(), to: "t-3", turn: 4, "c9")
        #expect(
            try await rights.adopt(late, grants: notes, origin: Self.other, content: sent, at: 12))
        #expect(try await carts.carts() == [])
    }

    @Test("A cart that goes on has its owners' notes with it, and one that comes back has none")
    func wandering() async throws {
        let store = try await StoreFixture()
        let rights = SQLiteRights(store.database)
        let sent = MovedCart(cart()).json
        let notes: [JSONValue] = [["number": 1]]
        _ = try await rights.adopt(
            grant(cart(), to: "t-3", turn: 3, "k1"), grants: notes, origin: "t-9", content: sent, at: 11)
        _ = try await rights.reserve(
            claim(cart(), "k2"), for: Self.other, turn: 5, epoch: 1, refunds: [:], at: 12)
        let went = try #require(try await rights.sent(with: grant(cart(), turn: 5, "k2")))
        let content = went.content.flatMap { try? MovedCart(json: $0) }
        #expect(went.grants == notes && content?.content == MovedCart(cart()).content)
        #expect(try await rights.carts().given == [cart().id.description: 5])
        // Back here: it is this till's again, whatever was granted before.
        _ = try await rights.adopt(
            grant(cart(), to: "t-3", turn: 7, "k3"), grants: notes, origin: "t-3", content: sent, at: 13)
        let carts = SQLiteCarts(store.database)
        #expect(try await carts.carts().first?.journey?.grants == [])
        #expect(try await carts.taker(of: cart().id) == nil)
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
    }

    @Test("What an earlier copy of the disk granted or ended goes, but not from under a customer")
    func earlierCopy() async throws {
        let store = try await StoreFixture()
        let (carts, rights) = (SQLiteCarts(store.database), SQLiteRights(store.database))
        for number in 1...2 as ClosedRange<UInt64> { try await keep(cart(number), in: store) }
        try await rights.accept(grant(cart(1)))
        try await rights.end(cart(2).id.description)
        #expect(try await carts.carts() == [])
        #expect(try await rights.sent(with: grant(cart(1)))?.content == MovedCart(cart(1)).json)
        var busy = cart(3)
        busy.state = .open(try #require(FrontEnd("01J0000000000000000000000A;counter")))
        try await keep(busy, in: store)
        try await rights.accept(grant(busy, "c3"))
        // It says where it is, until it comes back or a person decides.
        busy.journey?.elsewhere = Self.other
        #expect(try await carts.carts() == [busy])
        #expect(try await carts.place(of: busy.id)?.journey?.elsewhere == Self.other)
        busy.putAside()
        try await keep(busy, in: store)
        #expect(try await reserve(busy, in: store, "c5") == .refused(.granted, to: Self.other))
        #expect(try await rights.content(of: busy.id.description) == nil)
        let back = grant(busy, to: "t-3", turn: 5, "k1")
        _ = try await rights.adopt(
            back, grants: [], origin: "t-3", content: MovedCart(busy).json, at: 9)
        busy.journey?.elsewhere = nil
        busy.journey?.turn = 5
        #expect(try await carts.carts() == [busy])
    }

    @Test("A cart with a customer at it that an earlier copy of the disk ended says so once")
    func endedBefore() async throws {
        let store = try await StoreFixture()
        let (carts, rights) = (SQLiteCarts(store.database), SQLiteRights(store.database))
        var busy = cart()
        (busy.journey, busy.resumedAt) = (nil, 5)
        busy.taken = [TakenTender(method: "cash", kind: .cash, amount: 5)]
        try await keep(busy, in: store)
        try await rights.end(busy.id.description)
        #expect(try await carts.place(of: busy.id)?.journey?.elsewhere == "t-3")
        #expect(try await reserve(busy, in: store) == .refused(.notMine))
        busy = try #require(try await carts.carts().first)
        busy.journey?.isDoubleKnown = true
        try await keep(busy, in: store)
        try await rights.end(busy.id.description)
        #expect(try await carts.carts() == [busy])
    }

    @Test("The sale of a copy names the first cart")
    func copy() async throws {
        let store = try await StoreFixture()
        var copy = cart()
        copy.journey?.copiedFrom = "01FIRST"
        try await keep(copy, in: store)
        #expect(try await SQLiteCarts(store.database).carts() == [copy])
        #expect(MovedCart(copy).copiedFrom == "01FIRST")
        _ = try await store.ledger.commit(try StoreFixture.draft(1))
        let payload = try await store.database.read {
            try String.fetchOne($0, sql: "SELECT CAST(body AS TEXT) FROM journal")
        }
        #expect(payload?.contains("\"copiedFrom\":\"01FIRST\"") == true)
    }
}
