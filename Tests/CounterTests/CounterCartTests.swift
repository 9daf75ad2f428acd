import AgentAPI
import Counter
import HubProtocol
import Testing

@Suite("A cart on the counter's screen")
struct CounterCartTests {
    private var play = CounterPlay()

    private func left(_ id: String = "K1", taken: [TakenTender] = [Self.cash]) -> CartSummary {
        CartSummary(
            cartId: id, frontEnd: "01J0000000000000000000000B;pos sell", state: .left, lines: 3,
            total: MoneyAmount(8900, "CNY"), taken: taken, cashierId: "anna", memberId: "m-100",
            coupons: [], since: "2026-11-22T09:41:00Z")
    }

    private static let cash = TakenTender(method: "cash", amount: MoneyAmount(5000, "CNY"), isInHand: true)

    private var sold: [SellCall] {
        play.requests.compactMap { if case .sell(let call) = $0 { call } else { nil } }
    }

    @Test("shows what was taken once the agent has it, and keeps showing it over the next scans")
    mutating func taken() {
        play.scan("692")
        play.press(.function(10))
        play.isHeld = true
        play.type("50\r")
        #expect(play.screen.cart.taken == 0)
        play.release()
        #expect(play.screen.cart.taken == 5000)
        #expect(play.text.contains("78.00 CNY still due"))
        play.press(.escape)
        #expect(play.text.contains("Taken 50.00"))
        play.scan("690")
        #expect(play.text.contains("Taken 50.00"))
        #expect(play.kept.last?.cart?.payments == [.init(method: "cash", amountMinor: 5000)])
    }

    @Test("what the agent does not have on disk was not taken")
    mutating func notKept() {
        play.scan("692")
        play.press(.function(10))
        play.refusal = AgentFailure(code: "disk_full", message: "The disk is full.", exit: 5)
        play.type("50\r")
        #expect(play.screen.cart.taken == 0)
        #expect(play.screen.message?.isError == true)
    }

    @Test("when it is emptied says what goes back, and the next customer has nothing of the one before")
    mutating func emptied() {
        play.scan("692")
        play.press(.function(6))
        play.type("m-100\r")
        play.press(.function(7))
        play.type("WELCOME\r")
        play.press(.function(10))
        play.type("50\r")
        play.press(.escape, .delete)
        #expect(play.text.contains("Hand back 50.00 CNY, cash"))
        #expect(play.screen.cart.lines.count == 1)
        play.press(.escape)
        #expect(play.screen.cart.taken == 5000)
        play.press(.delete, .enter)
        #expect(play.screen.cart.isEmpty)
        #expect(play.screen.message?.text == "Hand back 50.00 CNY, cash")
        guard case .empty(_, isHandedBack: true)? = play.requests.last else {
            return #expect(Bool(false), "nothing was requested")
        }
        play.scan("690")
        #expect(play.screen.cart.member == nil && play.screen.cart.coupons.isEmpty)
        play.press(.function(10))
        #expect(!play.text.contains("taken") && !play.text.contains("Taken"))
        play.press(.enter)
        #expect(sold.last?.payments == [.init(method: "cash", amountMinor: 650)])
        #expect(sold.last?.memberId == nil && sold.last?.coupons == [])
    }

    @Test("without money is emptied at once, member and coupon too")
    mutating func emptiedWithoutMoney() {
        play.scan("692")
        play.press(.function(6))
        play.type("m-100\r")
        play.press(.delete)
        #expect(play.screen.cart.isEmpty && play.screen.cart.member == nil)
        guard case .empty(_, isHandedBack: false)? = play.requests.last else {
            return #expect(Bool(false), "nothing was requested")
        }
    }

    @Test("a card that was to be charged at the end was not charged")
    mutating func cardNotCharged() {
        play.scan("692")
        play.press(.function(10))
        // Cash, then what the card pays of it.
        play.type("20")
        play.press(.down, .enter)
        #expect(play.text.contains("Card · charged at the end"))
        #expect(!play.text.contains("taken: Card") && !play.text.contains("Taken"))
        #expect(play.text.contains("Nothing is charged yet") && !play.text.contains("hand back"))
        play.press(.escape)
        #expect(!play.text.contains("Taken"))
        play.press(.delete)
        #expect(play.screen.cart.isEmpty)
        #expect(play.screen.message?.text == "Card 20.00 CNY: nothing was charged")
    }

    @Test("a card that the total does not need any more is not charged")
    mutating func cardAboveTotal() {
        play.scan("690", "692")
        play.press(.function(10))
        play.type("100")
        play.press(.down, .enter)
        play.press(.escape)
        #expect(play.screen.cart.taken == 10_000)
        play.press(.delete)
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        #expect(play.screen.cart.taken == 0)
        #expect(play.screen.message?.text == "Card 100.00 CNY: nothing was charged")
        #expect(play.kept.last?.cart?.payments == nil)
    }

    @Test("a scan is no confirmation that money was handed back")
    mutating func scanAtHandBack() {
        play.scan("692")
        play.press(.function(10))
        play.type("50\r")
        play.press(.escape, .delete)
        play.scan("690")
        #expect(play.screen.cart.taken == 5000)
        #expect(play.screen.cart.lines.map(\.barcode) == ["692", "690"])
    }

    @Test("is parked with what was taken, and comes back with it")
    mutating func parked() {
        play.scan("692")
        play.press(.function(10))
        play.type("50\r")
        play.press(.escape, .function(8), .enter)
        #expect(play.screen.cart.isEmpty && play.screen.cart.taken == 0)
        play.press(.function(8))
        #expect(play.text.contains("taken 50.00"))
        play.press(.enter)
        #expect(play.screen.cart.taken == 5000)
        play.press(.function(10), .enter)
        #expect(
            sold.last?.payments == [
                .init(method: "cash", amountMinor: 5000), .init(method: "cash", amountMinor: 7800),
            ])
    }

    @Test("a parked one is dropped once its customer has the money back")
    mutating func droppedWithMoney() {
        play.scan("692")
        play.press(.function(10))
        play.type("50\r")
        play.press(.escape, .function(8), .enter, .function(8), .delete)
        play.type("gone\r")
        #expect(play.text.contains("Hand back 50.00 CNY, cash"))
        #expect(play.parked.count == 1)
        play.press(.enter)
        #expect(play.parked.isEmpty)
    }

    @Test("one that a window left is offered: Enter takes it, Esc leaves it, and it is not offered again")
    mutating func offered() {
        play.feed(.carts([left()]))
        #expect(play.text.contains("3 lines, 50.00 CNY taken: go on?"))
        play.press(.escape)
        #expect(play.screen.dialog == nil)
        play.feed(.carts([left()]))
        #expect(play.screen.dialog == nil)
        play.feed(.carts([left(), left("K2", taken: [])]))
        #expect(play.text.contains("3 lines, 89.00 CNY: go on?"))
        play.press(.enter)
        guard case .resume("K2")? = play.requests.last else {
            return #expect(Bool(false), "it was not taken")
        }
    }

    @Test("a scan over an offer begins the next customer's cart")
    mutating func scanAtOffer() {
        play.feed(.carts([left()]))
        play.scan("690")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        #expect(!play.requests.contains { if case .resume = $0 { true } else { false } })
    }

    @Test("nothing is offered over a cart, and another window's choice closes the offer")
    mutating func notOffered() {
        play.scan("690")
        play.feed(.carts([left()]))
        #expect(play.screen.dialog == nil)
        play.press(.function(10), .enter, .enter)
        play.feed(.carts([left()]))
        #expect(play.text.contains("go on?"))
        play.feed(.carts([]))
        #expect(play.screen.dialog == nil)
    }

    @Test("every change goes to the agent with a higher revision, and once more after the agent was gone")
    mutating func revisions() {
        play.scan("690", "691")
        play.press(.function(3))
        play.type("3\r")
        let revisions = play.kept.map(\.revision)
        #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
        #expect(play.kept.last?.cart?.lines.map(\.barcode) == ["690", "691"])
        play.feed(.agentReturned)
        #expect(play.kept.last?.cart?.lines.count == 2)
        #expect(play.kept.last?.revision ?? 0 > revisions.last ?? 0)
    }

    @Test("one that was sold elsewhere is not sold again, and this customer's money goes back")
    mutating func soldElsewhere() {
        play.scan("690")
        play.repeatedOf = "2026-11-22T09:41:00Z"
        play.press(.function(10), .enter)
        #expect(play.screen.message?.text.contains("sold already: S1-1-20261122-0001") == true)
        #expect(play.screen.message?.isError == true)
        #expect(play.screen.dialog == nil && play.screen.cart.isEmpty)
    }

    @Test("a sale whose response the agent's end took away is shown with its change when it is paid again")
    mutating func unanswered() {
        play.scan("690")
        play.press(.function(10))
        play.isGone = true
        play.type("10\r")
        #expect(play.screen.cart.lines.count == 1)
        let kept = play.kept.count
        play.feed(.agentReturned)
        #expect(play.kept.count == kept)
        play.repeatedOf = "2026-11-22T09:41:00Z"
        play.press(.enter)
        #expect(play.text.contains("Paid") || play.text.contains("Change"))
        #expect(play.screen.cart.isEmpty)
    }

    @Test("the window that has a cart hears once who wants it, and still has it")
    mutating func wanted() {
        play.scan("690")
        var mine = left(play.screen.cart.key)
        mine.wantedBy = "pos sell /dev/pts/3"
        play.feed(.carts([mine]))
        #expect(play.screen.message?.text.hasPrefix("pos sell /dev/pts/3 wants this cart") == true)
        play.scan("691")
        play.feed(.carts([mine]))
        #expect(play.screen.message == nil && play.screen.cart.lines.count == 2)
    }

    @Test("of another window is listed behind those that wait, and taken with a manager's PIN")
    mutating func elsewhere() {
        var mine = CartRecord(
            cartId: "K9", name: nil, parkedAt: "2026-11-22T09:41:00Z", resumedAt: nil,
            lines: [
                .init(
                    entry: EnteredLine(barcode: "690"), sku: "MILK", name: "Milk",
                    total: MoneyAmount(650, "CNY"))
            ], total: MoneyAmount(650, "CNY"), memberId: "m-100", coupons: [])
        mine.taken = [Self.cash]
        play.elsewhere = [mine]
        var open = left("K9")
        open = CartSummary(
            cartId: "K9", frontEnd: open.frontEnd, state: .open, lines: 1, total: mine.total,
            taken: mine.taken, cashierId: nil, memberId: "m-100", coupons: [], since: open.since)
        play.feed(.carts([open]))
        #expect(play.screen.dialog == nil)
        play.press(.function(8))
        #expect(play.text.contains("at pos sell") && play.text.contains("taken 50.00"))
        play.press(.delete)
        #expect(play.text.contains("at pos sell"))
        play.press(.enter)
        #expect(play.text.contains("a cart of another window"))
        play.type("ben\r")
        play.type("1234\r")
        #expect(play.screen.cart.key == "K9" && play.screen.cart.taken == 5000)
        #expect(play.screen.cart.member == "m-100" && play.screen.dialog == nil)
    }

    private func record(_ id: String) -> CartRecord {
        CartRecord(
            cartId: id, name: "red hat", parkedAt: "2026-11-22T09:41:00Z", resumedAt: nil,
            lines: [
                .init(
                    entry: EnteredLine(barcode: "690"), sku: "MILK", name: "Milk",
                    total: MoneyAmount(650, "CNY"))
            ], total: MoneyAmount(650, "CNY"), memberId: nil, coupons: [])
    }

    @Test("of another till is listed with those that wait here, and taken with the same key")
    mutating func ofAnotherTill() {
        var there = record("K2")
        (there.owner, there.ownerNumber, there.reachable, there.count) = ("T2", 2, true, 3)
        play.parked = [there]
        play.press(.function(8))
        #expect(play.text.contains("at till 2  red hat") && play.text.contains("3 lines"))
        play.press(.delete)
        #expect(play.text.contains("at till 2  red hat"))
        play.press(.enter)
        #expect(play.screen.cart.key == "K2" && play.screen.dialog == nil)
    }

    @Test("of a silent till is copied when Enter is pressed once more, with a manager's PIN")
    mutating func ofSilentTill() {
        var there = record("K2")
        (there.owner, there.ownerNumber, there.reachable, there.count) = ("T2", 2, false, 1)
        var copy = record("K3")
        copy.copiedFrom = "K2"
        (play.parked, play.copies) = ([there], [copy])
        play.press(.function(8))
        #expect(play.text.contains("at till 2, silent"))
        play.press(.enter)
        #expect(play.text.contains("Enter once more copies the cart") && play.screen.cart.isEmpty)
        play.press(.enter)
        #expect(play.text.contains("a cart of another window"))
        play.type("ben\r")
        play.type("1234\r")
        #expect(play.screen.cart.key == "K3" && play.screen.dialog == nil)
    }

    private static func copied(_ cart: String) -> AgentFailure {
        AgentFailure(
            code: "cart_copied", message: "Another till has it as well.", exit: 1,
            details: .init(cart: cart))
    }

    private mutating func pay() { play.press(.function(10), .enter) }

    private mutating func approve() {
        #expect(play.text.contains("a cart of another window"))
        play.type("ben\r")
        play.type("1234\r")
    }

    @Test("that another till has as well is sold once Enter was pressed once more, and no other key means it")
    mutating func soldAndElsewhere() {
        play.scan("690")
        let key = play.screen.cart.key
        var kept = record(key)
        kept.taken = [TakenTender(method: "cash", amount: MoneyAmount(500, "CNY"), isInHand: true)]
        play.elsewhere = [kept]
        for isMeant in [false, true] {
            play.refusal = Self.copied(key)
            pay()
            #expect(play.sentences.contains("Enter once more takes it all the same"))
            #expect(play.screen.dialog == nil && play.screen.cart.key == key)
            if isMeant { break }
            play.press(.escape)
            #expect(!play.sentences.contains("Enter once more"))
            play.press(.enter)
            #expect(play.screen.cart.key == key && !play.text.contains("a cart of another window"))
        }
        play.press(.enter)
        approve()
        #expect(play.screen.cart.key == key && play.screen.cart.taken == 500)
        pay()
        #expect(play.screen.cart.isEmpty, "it is sold")
    }

    @Test("that was left here and is another till's as well is taken by Enter once more, too")
    mutating func offeredElsewhere() {
        let left = CartSummary(
            cartId: "K2", frontEnd: nil, state: .left, lines: 1, total: MoneyAmount(650, "CNY"), taken: [],
            cashierId: nil, memberId: nil, coupons: [], since: "2026-11-22T09:41:00Z")
        play.elsewhere = [record("K2")]
        play.feed(.carts([left]))
        play.refusal = Self.copied("K2")
        play.press(.enter)
        #expect(play.sentences.contains("Enter once more takes it all the same"))
        play.feed(.carts([left]))
        play.press(.enter)
        approve()
        #expect(play.screen.cart.key == "K2" && play.screen.dialog == nil)
    }

    @Test("that a third till copied, too, is taken by Enter once more under the id of its copy")
    mutating func copiedTwice() {
        var there = record("K2")
        (there.owner, there.ownerNumber, there.reachable, there.count) = ("T2", 2, false, 1)
        (play.parked, play.elsewhere) = ([there], [record("K3")])
        play.press(.function(8))
        play.press(.enter)
        play.press(.enter)
        play.refusal = Self.copied("K3")
        approve()
        #expect(play.sentences.contains("Enter once more takes it all the same"))
        play.press(.enter)
        approve()
        #expect(play.screen.cart.key == "K3" && play.screen.dialog == nil)
    }

    @Test("that another window has by now is sent once more, so that the agent's answer decides")
    mutating func takenOver() {
        play.screen.frontEnd = "01J0000000000000000000000A;pos sell"
        play.scan("690")
        func listed(_ frontEnd: String) -> CartSummary {
            CartSummary(
                cartId: play.screen.cart.key, frontEnd: frontEnd, state: .open, lines: 1,
                total: MoneyAmount(650, "CNY"), taken: [], cashierId: nil, memberId: nil, coupons: [],
                since: "2026-11-22T09:41:00Z")
        }
        play.feed(.carts([]))
        #expect(play.kept.count == 1)
        play.feed(.carts([listed("01J0000000000000000000000A;pos sell")]))
        #expect(play.kept.count == 1)
        play.feed(.carts([listed("01J0000000000000000000000B;other")]))
        #expect(play.kept.count == 2)
        // It is sold there before this window has looked.
        play.feed(.carts([]))
        #expect(play.kept.count == 3)
        play.feed(
            .cartRefused(AgentFailure(code: "already_sold", message: "It was sold: 0260.", exit: 1)))
        #expect(play.screen.cart.isEmpty && play.text.contains("It was sold: 0260."))
    }

    @Test("a window that lost its cart to another one lets go of it")
    mutating func lost() {
        play.scan("690")
        play.feed(
            .cartRefused(AgentFailure(code: "cart_in_use", message: "It is on another screen.", exit: 1)))
        #expect(play.screen.cart.isEmpty)
        play.scan("690")
        play.feed(.cartRefused(AgentFailure(code: "disk_full", message: "The disk is full.", exit: 5)))
        #expect(play.screen.cart.lines.count == 1)
    }
}
