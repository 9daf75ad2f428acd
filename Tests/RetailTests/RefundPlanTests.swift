import OfflineCore
import Base
import HubProtocol
import Pricing
import Retail
import Testing

@Suite("What a refund gives back")
struct RefundPlanTests {
    @Test("a complete refund is exactly what was paid, tax included")
    func whole() throws {
        let plan = try RefundPlan(of: sale([(3, 100, 1), (1, 50, 0)]), after: [], items: [], smallestCoin: 1)
        #expect(plan.lines.map(\.quantityMilli) == [3_000, 1_000])
        #expect(plan.lines.map(\.total) == [299, 50])
        #expect(plan.total == 349)
        #expect(plan.taxes.map(\.tax) == [40])
    }

    @Test("partial refunds in any steps add up to the complete one, to the unit")
    func parts() throws {
        let sale = try sale([(3, 100, 0)], discount: 200)
        var earlier: [RefundLine] = []
        var amounts: [Int64] = []
        for _ in 0..<3 {
            let plan = try RefundPlan(
                of: sale, after: earlier, items: [.init(article: "B0", quantityMilli: 1_000)],
                smallestCoin: 1)
            earlier += plan.lines
            amounts.append(plan.total)
        }
        #expect(amounts == [33, 34, 33])
        #expect(refusal(of: sale, after: earlier) == .nothingLeft(orderNumber: "S-1-20261121-0001"))
    }

    @Test("an article on several lines comes back from the first on, each at its own price")
    func severalLines() throws {
        let sale = try sale([(1, 100, 0), (2, 80, 0)], sku: "A")
        let plan = try RefundPlan(
            of: sale, after: [], items: [.init(article: "A", quantityMilli: 2_000)], smallestCoin: 1)
        #expect(plan.lines.map(\.place) == [0, 1])
        #expect(plan.lines.map(\.total) == [100, 80])
        let rest = try RefundPlan(
            of: sale, after: plan.lines, items: [.init(article: "A")], smallestCoin: 1)
        #expect(rest.lines.map(\.quantityMilli) == [1_000])
        #expect(rest.total == 80)
    }

    @Test("cash is rounded to the smallest coin and the rounding is shown")
    func coins() throws {
        let plan = try RefundPlan(of: sale([(1, 98, 0)]), after: [], items: [], smallestCoin: 5)
        #expect(plan.total == 98)
        #expect(plan.cashRounding == 2)
    }

    @Test("what all refunds hand out is the rounded sum, whatever the parts; never more than the sale took")
    func coinsOfParts() throws {
        let sale = try sale([(9, 1, 0)])
        var refunds: [RefundContent] = []
        var paid: [Int64] = []
        for _ in 0..<3 {
            let plan = try RefundPlan(
                of: sale, after: refunds.flatMap(\.lines),
                items: [.init(article: "B0", quantityMilli: 3_000)], smallestCoin: 5,
                repaid: RepaidCash(of: refunds))
            #expect(plan.payments.map(\.amount) == [plan.total + plan.cashRounding])
            paid += plan.payments.map(\.amount)
            refunds.append(
                RefundContent(
                    mode: .offline, madeAt: 0, timeZone: "UTC", currency: "EUR", cashierId: nil,
                    approverId: nil, reason: nil, lines: plan.lines, total: plan.total, taxes: plan.taxes,
                    cashRounding: plan.cashRounding, payments: plan.payments, shiftId: nil, points: nil))
        }
        // 0.03, 0.06 and 0.09 with coins of 0.05.
        #expect(paid == [5, 0, 5])
    }

    @Test("money goes back to the cards and vouchers that paid, no more than each paid, and the rest is cash")
    func tenders() throws {
        let first = SalePayment(
            method: .card, amount: 60, card: CardApproval(authorizationKey: "K1", approvalCode: "A1"))
        let second = SalePayment(
            method: .card, amount: 30, card: CardApproval(authorizationKey: "K2", approvalCode: "A2"))
        let gift = SalePayment(
            method: .init("gift"), amount: 5,
            details: PaymentDetails(kind: .voucher, reference: "V1"))
        let paid = [first, second, gift, SalePayment(method: .cash, amount: 10)]
        let sold = try sale([(7, 15, 0)])
        func plan(_ pieces: Int64, _ lines: [RefundLine], _ back: [SalePayment], _ tenders: Set<String>)
            throws -> RefundPlan
        {
            try RefundPlan(
                of: sold, after: lines, items: [.init(article: "B0", quantityMilli: pieces * 1_000)],
                smallestCoin: 10, to: RefundSource(paid: paid, after: back, to: tenders))
        }
        let one = try plan(5, [], [], ["card", "gift"])
        #expect(one.payments.map(\.amount) == [60, 15])
        #expect(one.payments.map(\.card?.authorizationKey) == ["K1", "K2"])
        #expect(one.payments.allSatisfy { $0.details.state == .refunded })
        #expect(one.cashRounding == 0)
        let two = try plan(2, one.lines, one.payments, ["card", "gift"])
        #expect(two.payments.map(\.amount) == [15, 5, 10])
        #expect(two.payments.map(\.method.name) == ["card", "gift", "cash"])
        let inCash = try plan(5, [], [], [])
        #expect(inCash.payments.map(\.amount) == [80])
        #expect(inCash.cashRounding == 5)
        let cardsAlone = try plan(7, [], [], ["card"])
        #expect(cardsAlone.payments.map(\.amount) == [60, 30, 20])
        #expect(cardsAlone.cashRounding == 5)
    }

    @Test(
        "money goes back to the tender of cash that paid, less its change, and `cash` has what no other has")
    func otherCash() throws {
        let coins = SalePayment(
            method: .init("coins", isCash: true), amount: 30, details: PaymentDetails(kind: .cash))
        let sold = try sale([(7, 15, 0)])
        func plan(
            _ pieces: Int64, _ paid: [SalePayment], change: Int64 = 0, after earlier: [RefundPlan] = [],
            _ tenders: Set<String> = ["coins"], coin: Int64 = 1
        ) throws -> [String] {
            let lines = earlier.flatMap(\.lines)
            let plan = try RefundPlan(
                of: sold, after: lines, items: [.init(article: "B0", quantityMilli: pieces * 1_000)],
                smallestCoin: coin,
                to: RefundSource(
                    paid: paid, change: change, after: earlier.flatMap(\.payments), to: tenders))
            return plan.payments.map { "\($0.method.name) \($0.amount)" }
        }
        let both = [coins, SalePayment(method: .cash, amount: 100)]
        // 105 were paid by 30 in coins and 100 in cash, with 25 of change.
        #expect(try plan(7, both, change: 25) == ["coins 30", "cash 75"])
        #expect(try plan(1, both, change: 25) == ["coins 15"])
        #expect(try plan(7, both, change: 25, []) == ["cash 105"])
        let first = try RefundPlan(
            of: sold, after: [], items: [.init(article: "B0", quantityMilli: 1_000)], smallestCoin: 1,
            to: RefundSource(paid: both, change: 25, after: [], to: ["coins"]))
        #expect(try plan(6, both, change: 25, after: [first]) == ["coins 15", "cash 75"])
        // Where coins alone paid, their change was theirs.
        let alone = [SalePayment(method: coins.method, amount: 110, details: coins.details)]
        #expect(try plan(7, alone, change: 5) == ["coins 105"])
        // The rounding is of the cash that goes back, whatever it is called.
        #expect(try plan(7, alone, change: 10, coin: 10) == ["coins 100", "cash 10"])
        #expect(
            try RefundPlan(
                of: sold, after: [], items: [], smallestCoin: 1,
                to: RefundSource(paid: both, change: 25, after: [], to: ["coins"])
            ).payments.map(\.details.state) == [nil, nil])
    }

    @Test(
        "money is split to the unit in currencies without decimals and with three, cash to the smallest coin",
        arguments: [("JPY", 1), ("JPY", 10), ("KWD", 5)] as [(String, Int64)])
    func currencies(currency: String, coin: Int64) throws {
        let card = SalePayment(
            method: .card, amount: 1_000, card: CardApproval(authorizationKey: "K1", approvalCode: "A1"))
        let source = [card, SalePayment(method: .cash, amount: 1_253)]
        let sold = try sale([(3, 751, 0)], currency: currency)
        var lines: [RefundLine] = []
        var back: [SalePayment] = []
        for _ in 0..<3 {
            let plan = try RefundPlan(
                of: sold, after: lines, items: [.init(article: "B0", quantityMilli: 1_000)],
                smallestCoin: coin, to: RefundSource(paid: source, after: back, to: ["card"]))
            #expect(plan.payments.reduce(0) { $0 + $1.amount } == plan.total + plan.cashRounding)
            #expect(plan.cashRounding.magnitude * 2 <= UInt64(coin))
            let cash = plan.payments.filter { $0.method.isCash }.map(\.amount)
            #expect(cash.allSatisfy { $0 % coin == 0 })
            lines += plan.lines
            back += plan.payments
        }
        #expect(lines.reduce(0) { $0 + $1.total } == 2_253)
        #expect(back.filter { !$0.method.isCash }.map(\.amount) == [751, 249])
    }

    @Test("more than is left, what was not sold, nothing and a voided sale are refused, each by its name")
    func refusals() throws {
        let sold = try sale([(2, 100, 0)])
        func items(_ article: String, _ quantity: Int64?) -> [RefundEntry.Item] {
            [.init(article: article, quantityMilli: quantity)]
        }
        #expect(
            refusal(of: sold, items: items("B0", 2_001))
                == .moreThanLeft(article: "B0", quantityMilli: 2_001, left: 2_000))
        #expect(
            refusal(of: sold, items: items("B0", 1_500) + items("B0", 501))
                == .moreThanLeft(article: "B0", quantityMilli: 501, left: 500))
        #expect(
            refusal(of: sold, items: items("B0", 0))
                == .moreThanLeft(article: "B0", quantityMilli: 0, left: 2_000))
        #expect(
            refusal(of: sold, items: items("B0", -1))
                == .moreThanLeft(article: "B0", quantityMilli: -1, left: 2_000))
        #expect(refusal(of: sold, items: items("X", nil)) == .notInOrder(article: "X"))
        #expect(
            refusal(of: try sale([(2, 100, 0)], voidedAt: 1))
                == .voidedAlready(orderNumber: "S-1-20261121-0001"))
    }

    private func refusal(
        of sale: Sale, after earlier: [RefundLine] = [], items: [RefundEntry.Item] = []
    ) -> OrderRefusal? {
        do throws(OrderRefusal) {
            _ = try RefundPlan(of: sale, after: earlier, items: items, smallestCoin: 1)
            return nil
        } catch {
            return error
        }
    }

    /// - Parameter lines: quantity, unit price and discount of each.
    private func sale(
        _ lines: [(Int64, Int64, Int64)], sku: String? = nil, discount: Int64 = 0, voidedAt: Int64? = nil,
        currency: String = "CNY"
    ) throws -> Sale {
        let lines = try lines.enumerated().map { place, line in
            SaleLine(
                sku: sku ?? "S\(place)", barcode: "B\(place)", name: "Article \(place)",
                price: try PricedLine(
                    quantityMilli: line.0 * 1_000, unitPrice: line.1, discount: line.2 + discount,
                    taxBasisPoints: 1_300),
                discountReason: nil, isCounted: false)
        }
        return Sale(
            key: ULID(high: 1, low: 1), orderId: "order",
            orderNumber: OrderNumber(
                storeId: "S", terminalNumber: 1, businessDay: try #require(BusinessDay(number: 20_261_121)),
                counter: 1),
            mutationId: "mutation",
            content: SaleContent(
                mode: .online, madeAt: 0, timeZone: "UTC", currency: currency, cashierId: nil, memberId: nil,
                coupons: [], lines: lines, totals: try ReceiptTotals(lines: lines.map(\.price)),
                payments: [], cashRounding: 0, change: 0),
            isAcknowledged: true, voidedAt: voidedAt)
    }
}
