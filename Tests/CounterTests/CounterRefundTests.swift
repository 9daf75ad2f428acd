import AgentAPI
import HubProtocol
import OfflineCore
import Testing

@testable import Counter

@Suite("A refund at the counter by what the customer shows")
struct CounterRefundTests {
    private var play = CounterPlay()

    /// Of another till; the screen does not look at the signature.
    private static func code() throws -> String {
        try #require(
            ReceiptCode(
                terminalId: "T2", orderNumber: "S1-2-20261121-0007", soldAt: 1, currency: "CNY", total: 1300,
                lines: [
                    .init(barcode: "690", quantityMilli: 2000, amount: 1300),
                    .init(barcode: "690", quantityMilli: 1000, amount: 650),
                    .init(barcode: "691", quantityMilli: 1000, amount: 1280),
                ]
            ) { _ in Base64.text([UInt8](repeating: 1, count: 64)) }
        ).text
    }

    private var refunds: [RefundOrderCall] {
        play.requests.compactMap { if case .refund(let call) = $0 { call } else { nil } }
    }

    private static func order(_ number: String) -> OrderEntry {
        let money = MoneyAmount(650, "CNY")
        return OrderEntry(
            sale: SaleRecord(
                key: "", orderId: "O-" + number, orderNumber: "S1-1-20261121-" + number, mode: .online,
                total: money, tax: MoneyAmount(0, "CNY"), paid: [], cashRounding: MoneyAmount(0, "CNY"),
                change: MoneyAmount(0, "CNY"),
                lines: [
                    SoldLine(
                        sku: "A", barcode: "690", name: "Tea", quantityMilli: 1000, unitPrice: 650,
                        discount: 0, total: 650, taxBasisPoints: 0, offers: [])
                ], shortCode: "ABCDE12345"), sync: "acknowledged", cashierId: nil, approverId: nil,
            voidedAt: nil, refunded: MoneyAmount(0, "CNY"), refunds: [], madeAt: "2026-11-22T09:41:00Z")
    }

    @Test("a receipt's code that is scanned at the cart opens its sale and touches no line of the cart")
    mutating func scanned() throws {
        play.scan("692")
        play.scan(try Self.code())
        #expect(play.screen.cart.lines.count == 1)
        #expect(play.text.contains("S1-2-20261121-0007"))
        #expect(play.text.contains("[ ] 全脂牛奶 1 升") && play.text.contains("[ ] Apples"))
        play.press(.typed(" "), .down, .down, .typed(" "), .enter)
        play.type("broken\r")
        let call = try #require(refunds.first)
        #expect(call.origin == .receipt(try Self.code()))
        // One of two lines of the same article: its quantity alone.
        #expect(
            call.lines == [
                .init(article: "690", quantityMilli: 2000), .init(article: "691", quantityMilli: nil),
            ])
        #expect(call.reason == "broken")
    }

    @Test("behind F9 a scan opens the receipt, a typed number the sale of this till")
    mutating func typed() throws {
        play.orders = [Self.order("0042"), Self.order("0041")]
        play.press(.function(9))
        play.scan(try Self.code())
        #expect(play.text.contains("S1-2-20261121-0007"))
        play.press(.escape, .function(9))
        play.type("0041\r")
        play.press(.typed("a"), .enter, .enter)
        #expect(refunds.map(\.origin) == [.order("O-0041")])
        play.press(.escape, .function(9))
        play.type("9999\r")
        #expect(play.text.contains("9999"))
        #expect(refunds.count == 1)
        play.type("abcde12345\r")
        play.press(.typed("a"), .enter, .enter)
        #expect(refunds.last?.origin == .order("O-0042"))
    }

    private static func refund(_ payments: [SaleRecord.Payment], _ amount: Int64) -> RefundRecord {
        let money = MoneyAmount(amount, "CNY")
        return RefundRecord(
            refundId: "R", orderId: "O-0042", orderNumber: "S1-1-20261121-0042", mode: .online,
            madeAt: "2026-11-22T09:41:00Z", total: money, tax: MoneyAmount(0, "CNY"),
            cashRounding: MoneyAmount(0, "CNY"), paid: money, reason: nil, cashierId: nil, approverId: nil,
            sync: "pending",
            lines: [
                .init(
                    sku: "A", barcode: "690", name: "Tea", quantityMilli: 1000, total: amount,
                    taxBasisPoints: 0)
            ], shortCode: nil, payments: payments)
    }

    @Test("what is back already is not offered: of this till at once, of others when the agent has responded")
    mutating func backAlready() throws {
        var own = Self.order("0042")
        own = OrderEntry(
            sale: own.sale, sync: own.sync, cashierId: nil, approverId: nil, voidedAt: nil,
            refunded: MoneyAmount(650, "CNY"), refunds: [Self.refund([], 650)], madeAt: own.madeAt)
        let fresh = Self.order("0041")
        var elsewhere = fresh
        elsewhere.left = [0]
        elsewhere.returnedElsewhere = [
            .init(
                refundId: "X", total: 650, quantities: ["A": 1000],
                place: .init(storeId: "S1", terminalNumber: 2, at: "2026-11-22T09:00:00.000Z"))
        ]
        play.orders = [own, fresh]
        play.press(.function(9), .enter)
        #expect(play.text.contains("All of it came back before."))
        play.press(.typed("a"), .enter)
        #expect(refunds.isEmpty)
        play.atHub = [elsewhere]
        play.press(.escape, .function(9), .down, .enter)
        #expect(play.text.contains("All of it came back before."))
        #expect(play.text.contains("6.50 CNY came back at till 2 of store S1"))
        play.atHub = [fresh]
        play.press(.escape, .function(9), .down, .enter)
        #expect(play.text.contains("[ ] Tea"))
    }

    @Test(
        "of another till's receipt what is back already is not offered, and without the hub a line says so")
    mutating func receiptLeft() throws {
        let code = try Self.code()
        let back = ReceiptSale.Refund(
            refundId: "X", total: 1930, quantities: ["MILK": 1000, "APPLE": 1000],
            place: .init(storeId: "S1", terminalNumber: 2, at: "2026-11-22T09:00:00.000Z"))
        play.receiptLeft = .receiptLeft(
            CounterPlay.goods(of: code, left: [1000, 1000, 0], by: .hub, [back]))
        play.isHeld = true
        play.scan(code)
        #expect(play.text.contains("looking for what came back before"))
        // Marked before the agent has responded: the goods are others now.
        play.press(.typed("a"))
        play.release()
        #expect(play.text.contains("[ ] 全脂牛奶 1 升") && !play.text.contains("Apples"))
        #expect(!play.text.contains("[x]"))
        #expect(play.text.contains("19.30 CNY came back at till 2 of store S1"))
        #expect(!play.text.contains("is not known") && !play.text.contains("looking for"))
        play.press(.typed("a"))
        #expect(play.text.contains("13.00 CNY"))
        play.press(.enter, .enter)
        #expect(refunds.map(\.lines) == [[.init(article: "690", quantityMilli: nil)]])

        play.receiptLeft = .receiptLeft(CounterPlay.goods(of: code, left: [0, 0, 0], by: .hub, [back]))
        play.press(.escape)
        play.scan(code)
        #expect(play.text.contains("All of it came back before."))
        play.press(.typed("a"), .enter)
        #expect(refunds.count == 1)

        play.receiptLeft = .receiptLeft(CounterPlay.goods(of: code, left: nil, by: .till))
        play.press(.escape)
        play.scan(code)
        #expect(play.text.contains("Apples") && play.text.contains("at other tills is not known."))

        play.receiptLeft = .refused(
            AgentFailure(code: "voided_at_hub", message: "It was voided.", exit: 1))
        play.press(.escape)
        play.scan(code)
        #expect(play.screen.dialog == nil && play.text.contains("It was voided."))
    }

    @Test("money that goes back to a card is the big figure where no cash is given, and is named beside cash")
    mutating func byCard() throws {
        func payment(_ method: String, _ amount: Int64, _ state: String? = nil) -> SaleRecord.Payment {
            SaleRecord.Payment(
                method: method, amount: MoneyAmount(amount, "CNY"), approvalCode: nil,
                isSimulated: false, kind: method, state: state)
        }
        var screen = play.screen
        func text(_ payments: [SaleRecord.Payment], _ amount: Int64) -> String {
            screen.dialog = .refunded(
                RefundResponse(refund: Self.refund(payments, amount), receipt: "", isPaidByCard: false))
            return screen.frame().text
        }
        let card = text([payment("card", 8900)], 8900)
        #expect(card.contains("No cash: it goes back by Card") && !card.contains("Give back"))
        let both = text([payment("card", 5000), payment("cash", 3900)], 8900)
        #expect(both.contains("Give back") && both.contains("goes back by Card: 50.00"))
        #expect(text([payment("cash", 3900)], 3900).contains("Give back"))
        // A card that was refused after the sale gets nothing.
        let unpaid = text([payment("card", 8900, "forwardDeclined")], 8900)
        #expect(unpaid.contains("Card 89.00 CNY: refused after the sale") && !unpaid.contains("goes back by"))
    }

    private var sales: [SellCall] {
        play.requests.compactMap { if case .sell(let call) = $0 { call } else { nil } }
    }

    @Test("an exchange pays with what comes back, and the customer pays the rest or gets it")
    mutating func exchange() throws {
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed("x"))
        #expect(play.text.contains("Mark what comes back"))
        // 13.00 come back for 6.50.
        play.press(.typed(" "), .typed("x"))
        #expect(play.screen.dialog == nil)
        play.scan("690")
        #expect(play.text.contains("Comes back   -13.00"))
        #expect(play.kept.last?.cart?.returns?.origin == .receipt(try Self.code()))
        play.press(.function(10))
        #expect(play.text.contains("give back 6.50"))
        play.press(.enter)
        let call = try #require(sales.first)
        #expect(call.payments == [])
        #expect(call.returns?.origin == .receipt(try Self.code()))
        #expect(call.returns?.lines == [.init(article: "690", quantityMilli: 2000)])
        #expect(refunds.isEmpty)
        // The next cart is a sale of its own.
        play.scan("690")
        play.press(.function(10), .enter)
        #expect(sales.count == 2)
        #expect(sales[1].returns == nil)
    }

    @Test("what comes back is worth cash, which is rounded to the smallest coin as the till records it")
    mutating func roundedExchange() throws {
        var till = TillState(storeName: "S", number: 1, timeZone: "UTC", cashier: nil, shiftId: nil)
        till.smallestCoin = 500
        play.feed(.status(.shown(till: till)))
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed(" "), .typed("x"))
        play.scan("690")
        // Of 13.00 that were paid for it.
        #expect(play.text.contains("Comes back   -15.00"), "\(play.text)")
    }

    @Test("an exchange that is parked or left is taken up with what comes back for it")
    mutating func exchangeKept() throws {
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed(" "), .typed("x"))
        play.scan("690")
        play.press(.function(8))
        play.type("Li\r")
        #expect(play.screen.cart.isEmpty && play.screen.cart.returned == nil)
        play.scan("690")
        #expect(!play.text.contains("Comes back"))
        play.press(.delete, .function(8), .enter)
        #expect(play.text.contains("Comes back   -13.00"))
        #expect(play.kept.last?.cart?.returns?.lines == [.init(article: "690", quantityMilli: 2000)])
        play.press(.function(10), .enter)
        #expect(sales.last?.returns?.origin == .receipt(try Self.code()))
    }

    @Test("goods that come back alone are kept, offered again, parked and taken up like every other cart")
    mutating func goodsAloneKept() throws {
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed(" "), .typed("x"))
        let kept = try #require(play.kept.last?.cart)
        let code = try Self.code()
        #expect(kept.lines.isEmpty && kept.returns?.origin == .receipt(code))
        #expect(play.text.contains("Comes back   -13.00"))
        // Ctrl-Q on them is no empty counter.
        play.press(.control("Q"))
        #expect(!play.hasLeft)
        play.press(.escape)

        // The next counter.
        var next = CounterPlay()
        next.parked = [
            CartRecord(
                cartId: "01J0000000000000000000000C", name: nil, parkedAt: "2026-11-22T09:41:00Z",
                resumedAt: nil, lines: [], total: MoneyAmount(0, "CNY"), memberId: "M1", coupons: [])
        ]
        next.parked[0].returns = kept.returns
        next.parked[0].state = .left
        var left = CartSummary(
            cartId: next.parked[0].cartId, frontEnd: nil, state: .left, lines: 0,
            total: MoneyAmount(0, "CNY"), taken: [], cashierId: nil, memberId: "M1", coupons: [],
            since: "2026-11-22T09:41:00Z")
        left.returnedLines = 1
        next.feed(.carts([left]))
        #expect(next.text.contains("1 article comes back: go on?"))
        next.press(.enter)
        #expect(next.screen.cart.key == left.cartId && next.screen.cart.member == "M1")
        #expect(next.text.contains("Comes back   -13.00"))
        #expect(next.kept.last?.cart?.returns == kept.returns)
        next.press(.function(8))
        next.type("Li\r")
        #expect(next.screen.cart.hasNothing && next.text.contains("1 article comes back"))
        next.press(.function(8))
        #expect(next.text.contains("1 article comes back"))
        next.press(.enter)
        next.scan("690")
        next.press(.function(10), .enter)
        let sale = next.requests.compactMap { if case .sell(let call) = $0 { call } else { nil } }.first
        #expect(sale?.returns == kept.returns && sale?.key == left.cartId)
    }

    @Test("goods that come back alone go with Del, and stay kept when the last line sold for them goes")
    mutating func goodsAloneDropped() throws {
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed(" "), .typed("x"))
        play.scan("690")
        play.press(.delete)
        #expect(play.screen.cart.isEmpty && play.screen.cart.returned != nil)
        #expect(play.kept.last?.cart?.lines == [] && play.kept.last?.cart?.returns != nil)
        func emptied() -> Int {
            play.requests.count { if case .empty = $0 { true } else { false } }
        }
        #expect(emptied() == 1)
        play.press(.delete)
        #expect(play.screen.cart.hasNothing && emptied() == 2)
        // One of which nothing is left any more is no cart.
        play.parked = [
            CartRecord(
                cartId: "01J0000000000000000000000C", name: "Li", parkedAt: "2026-11-22T09:41:00Z",
                resumedAt: nil, lines: [], total: MoneyAmount(0, "CNY"), memberId: nil, coupons: [])
        ]
        play.parked[0].returns = .init(of: .receipt(try Self.code()), lines: [])
        play.receiptLeft = .receiptLeft(
            CounterPlay.goods(of: try Self.code(), left: [0, 0, 0], by: .hub))
        play.press(.function(8), .enter)
        #expect(play.text.contains("cannot come back any more"))
        #expect(play.screen.cart.hasNothing && emptied() == 3)
    }

    @Test("of an exchange with goods of this till's own sale the sale is read before the cart is taken up")
    mutating func ownExchangeKept() throws {
        play.orders = [Self.order("0042")]
        play.press(.function(9), .enter, .typed(" "), .typed("x"))
        play.scan("692")
        #expect(play.text.contains("Comes back   -6.50"))
        play.press(.function(8))
        play.type("Li\r")
        play.press(.function(8), .enter)
        #expect(play.text.contains("Comes back   -6.50"))
        #expect(play.screen.cart.lines.map(\.barcode) == ["692"])
        // Meanwhile it came back at another till.
        play.press(.function(8))
        play.type("Li\r")
        var order = Self.order("0042")
        order.left = [0]
        play.atHub = [order]
        play.press(.function(8), .enter)
        #expect(play.text.contains("cannot come back any more"))
        #expect(play.screen.cart.returned == nil && play.screen.cart.lines.count == 1)
    }

    @Test("of an exchange that costs more the rest is paid, and Del makes a plain sale of it")
    mutating func exchangeForMore() throws {
        play.scan("692")
        play.press(.function(9))
        play.scan(try Self.code())
        play.press(.typed("a"), .typed("x"), .function(10))
        #expect(play.text.contains("Still due") && play.text.contains("95.70"))
        play.press(.delete, .function(10))
        #expect(!play.text.contains("Still due"))
        play.press(.escape, .function(9))
        play.scan(try Self.code())
        play.press(.typed("a"), .typed("x"), .function(10))
        play.type("100\r")
        let call = try #require(sales.first)
        #expect(call.payments == [SellCall.Tender(method: "cash", amountMinor: 10_000)])
        #expect(call.returns != nil)
    }

    @Test("a torn code is refused in words, and no article is looked for")
    mutating func torn() throws {
        play.scan(String(try Self.code().dropLast(9)))
        #expect(play.text.contains("not the whole code"))
        #expect(play.requests.isEmpty)
    }
}
