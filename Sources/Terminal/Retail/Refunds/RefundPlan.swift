internal import Base
internal import HubProtocol
package import Pricing

/// The amounts of a refund, decided from the sale and its earlier refunds.
///
/// Of each line no more is refunded than was sold, and for the complete line exactly what was paid: a part is
/// the difference of two roundings of a running sum.
package struct RefundPlan: Hashable, Sendable {
    /// What comes back, in the order of the sale; never empty.
    package let lines: [RefundLine]
    /// Minor units of all lines, tax included.
    package let total: Int64
    /// The taxes within ``total``, lowest rate first.
    package let taxes: [ReceiptTotals.TaxShare]
    /// Added to ``total`` by rounding the cash to the smallest coin.
    package let cashRounding: Int64
    /// Where the money goes, cash last.
    package let payments: [SalePayment]

    /// Of a sale of this terminal.
    ///
    /// - Parameters:
    ///   - earlier: the lines of all refunds that were made of the sale.
    ///   - items: empty for all that is left.
    ///   - smallestCoin: minor units; 0 or 1 rounds nothing.
    ///   - source: what paid the sale and may be paid back to; by default all is paid in cash.
    ///   - repaid: the cash of those refunds.
    package init(
        of sale: Sale, after earlier: [RefundLine], items: [RefundEntry.Item], smallestCoin: Int64,
        to source: RefundSource = RefundSource(), repaid: RepaidCash = RepaidCash()
    ) throws(OrderRefusal) {
        let number = sale.orderNumber.description
        guard sale.voidedAt == nil else { throw .voidedAlready(orderNumber: number) }
        try self.init(
            of: sale.content.lines.map(RefundableLine.init), after: earlier, items: items,
            smallestCoin: smallestCoin, orderNumber: number, to: source, repaid: repaid)
    }

    /// Of lines that were sold anywhere.
    ///
    /// - Parameters:
    ///   - earlier: the lines of the refunds that ``RefundableLine/returnedMilli`` does not contain.
    ///   - items: empty for all that is left.
    ///   - smallestCoin: minor units; 0 or 1 rounds nothing.
    ///   - orderNumber: for the refusal when nothing is left.
    ///   - source: what paid the sale and may be paid back to; by default all is paid in cash.
    ///   - repaid: the cash of the refunds that are known here.
    package init(
        of sold: [RefundableLine], after earlier: [RefundLine], items: [RefundEntry.Item],
        smallestCoin: Int64, orderNumber: String, to source: RefundSource = RefundSource(),
        repaid: RepaidCash = RepaidCash()
    ) throws(OrderRefusal) {
        var remaining = RemainingLines(sold, after: earlier)
        if items.isEmpty {
            remaining.takeAll()
        } else {
            for item in items { try remaining.take(item) }
        }
        lines = try remaining.lines()
        guard !lines.isEmpty else { throw .nothingLeft(orderNumber: orderNumber) }
        do throws(PricingError) {
            let totals = try ReceiptTotals(
                paid: lines.map { (basisPoints: $0.taxBasisPoints, amount: $0.total) })
            (total, taxes) = (totals.total, totals.taxes)
            let (back, cash) = source.split(total)
            cashRounding =
                back.isEmpty || cash > 0 ? try repaid.rounding(of: cash, smallestCoin: smallestCoin) : 0
            let inCash = source.inCash(cash + cashRounding)
            let nothing = [SalePayment(method: .cash, amount: 0)]
            payments = back + (back.isEmpty && inCash.isEmpty ? nothing : inCash)
        } catch {
            throw .amountTooLarge
        }
    }
}

/// The cash that earlier refunds of a sale gave back.
///
/// What a refund hands out is the difference of two roundings of the running sum: parts that are each rounded
/// by themselves could come to more than the sale took.
package struct RepaidCash: Hashable, Sendable {
    /// Minor units that were handed out, of each refund.
    private let paid: [Int64]
    /// Minor units within them that rounding added.
    private let roundings: [Int64]

    /// Nothing was given back.
    package init() { (paid, roundings) = ([], []) }

    /// - Parameter refunds: those of one sale that are known here.
    package init(of refunds: [RefundContent]) {
        paid = refunds.flatMap { $0.payments.filter(\.method.isCash).map(\.amount) }
        roundings = refunds.map(\.cashRounding)
    }

    /// What is added to `cash`, so that all that is handed out is the rounded sum; never below nothing.
    func rounding(of cash: Int64, smallestCoin: Int64) throws(PricingError) -> Int64 {
        let before = try MoneyRange.sum(paid)
        let due = try MoneyRange.sum([before, -MoneyRange.sum(roundings), cash])
        let rounding = try Settlement(total: due, tenders: [], smallestCoin: smallestCoin).cashRounding
        return max(0, try MoneyRange.sum([due, rounding, -before])) - cash
    }
}

/// Where the money of a refund may go beside the tender `cash`: to the cards, wallets and vouchers that paid
/// the sale, by the hub or by the card machine that charged them, and to the store's other tenders of cash.
package struct RefundSource: Hashable, Sendable {
    /// In the order in which they are paid back, each with what is left of it.
    private let payments: [SalePayment]
    /// Other tenders of cash than `cash`, with what is left of them, in that order.
    private let otherCash: [SalePayment]

    /// Nothing but cash.
    package init() {
        (payments, otherCash) = ([], [])
    }

    /// - Parameters:
    ///   - paid: the payments of the sale.
    ///   - change: minor units of cash that went back at the sale; 0 by default.
    ///   - repaid: those of its earlier refunds.
    ///   - tenders: the names of those that money goes back to by the hub.
    ///   - machineTenders: the names of those that the terminal's own card machine gives back to what it
    ///     charged; by default none.
    package init(
        paid: [SalePayment], change: Int64 = 0, after repaid: [SalePayment], to tenders: Set<String>,
        byMachine machineTenders: Set<String> = []
    ) {
        var repaid = repaid
        let changed = MoneyBack.change(change, from: paid.map { ($0.method, $0.amount) }).parts
        let left = zip(paid, changed).compactMap { payment, change -> SalePayment? in
            guard Self.takesBack(payment, to: tenders, byMachine: machineTenders) else { return nil }
            var left = payment.amount - change
            for place in repaid.indices where Self.isSame(repaid[place], payment) {
                let part = min(left, repaid[place].amount)
                left -= part
                repaid[place] = SalePayment(
                    method: repaid[place].method, amount: repaid[place].amount - part,
                    card: repaid[place].card, details: repaid[place].details)
            }
            guard left > 0 else { return nil }
            return SalePayment(
                method: payment.method, amount: left, card: payment.card,
                details: PaymentDetails(
                    kind: payment.details.kind, state: payment.method.isCash ? nil : .refunded,
                    machine: payment.details.machine, reference: payment.details.reference))
        }
        payments = left.filter { !$0.method.isCash }
        otherCash = left.filter(\.method.isCash)
    }

    /// Whether money goes back to `payment`: one of a card or wallet has a key at the hub, or at the machine
    /// that charged it.
    package static func takesBack(
        _ payment: SalePayment, to tenders: Set<String>, byMachine machineTenders: Set<String> = []
    ) -> Bool {
        guard payment.method != .cash else { return false }
        if let machine = payment.details.machine {
            return machine.key != nil && machineTenders.contains(payment.method.name)
        }
        guard tenders.contains(payment.method.name) else { return false }
        return switch payment.kind {
        case .cash, .voucher: true
        case .card, .wallet: payment.card != nil || payment.method.isCash
        }
    }

    /// What a void of a sale with `payments` gives back by the card machine: all of each charge.
    package static func chargedByMachine(of payments: [SalePayment]) -> [SalePayment] {
        let tenders = Set(payments.map(\.method.name))
        return RefundSource(
            paid: payments.filter { $0.details.machine != nil }, after: [], to: [], byMachine: tenders
        ).payments
    }

    private static func isSame(_ back: SalePayment, _ payment: SalePayment) -> Bool {
        back.method == payment.method && back.card?.authorizationKey == payment.card?.authorizationKey
            && back.details.machine == payment.details.machine
            && back.details.reference == payment.details.reference
    }

    /// What of `total` goes where; the rest is cash.
    func split(_ total: Int64) -> (back: [SalePayment], cash: Int64) {
        let back = MoneyBack.parts(of: total, from: payments.map(\.amount))
        return (Self.parts(back.parts, of: payments), back.rest)
    }

    /// Which tenders an amount of cash goes back to, `cash` last; none for nothing.
    func inCash(_ amount: Int64) -> [SalePayment] {
        let back = MoneyBack.parts(of: amount, from: otherCash.map(\.amount))
        let plain = back.rest == 0 ? [] : [SalePayment(method: .cash, amount: back.rest)]
        return Self.parts(back.parts, of: otherCash) + plain
    }

    private static func parts(_ amounts: [Int64], of payments: [SalePayment]) -> [SalePayment] {
        zip(payments, amounts).filter { $0.1 > 0 }.map { payment, amount in
            SalePayment(method: payment.method, amount: amount, card: payment.card, details: payment.details)
        }
    }
}

/// A line of a sale, as far as a refund of it computes with it.
package struct RefundableLine: Hashable, Sendable {
    /// The article.
    package let sku: String
    /// As sold.
    package let barcode: String
    /// For the receipt.
    package let name: String
    /// Thousandths of a unit that were sold.
    package let quantityMilli: Int64
    /// Minor units that were paid for them.
    package let total: Int64
    /// Hundredths of a percent.
    package let taxBasisPoints: Int64
    /// Whether the article's stock is counted here.
    package let isCounted: Bool
    /// Thousandths of a unit that came back before, as far as the hub has reported it.
    package var returnedMilli: Int64 = 0

    package init(
        sku: String, barcode: String, name: String, quantityMilli: Int64, total: Int64,
        taxBasisPoints: Int64, isCounted: Bool
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.quantityMilli = quantityMilli
        self.total = total
        self.taxBasisPoints = taxBasisPoints
        self.isCounted = isCounted
    }

    /// A line of a sale of this terminal.
    init(_ line: SaleLine) {
        self.init(
            sku: line.sku, barcode: line.barcode, name: line.name, quantityMilli: line.price.quantityMilli,
            total: line.price.total, taxBasisPoints: line.price.taxBasisPoints, isCounted: line.isCounted)
    }
}

/// What is left of a sale's lines, and what of it is being refunded.
private struct RemainingLines {
    private let sold: [RefundableLine]
    private var before: [Int64]
    private var taken: [Int64]

    init(_ sold: [RefundableLine], after earlier: [RefundLine]) {
        self.sold = sold
        var before = sold.map(\.returnedMilli)
        if PlantedBug.refundAboveSale.isPlanted { before = sold.map { _ in 0 } }
        for line in earlier where !PlantedBug.refundAboveSale.isPlanted && before.indices.contains(line.place)
        {
            before[line.place] += line.quantityMilli
        }
        self.before = before
        taken = sold.map { _ in 0 }
    }

    private func left(_ place: Int) -> Int64 {
        max(0, sold[place].quantityMilli - before[place] - taken[place])
    }

    mutating func takeAll() {
        for place in sold.indices { taken[place] = left(place) }
    }

    /// From the article's lines in their order.
    mutating func take(_ item: RefundEntry.Item) throws(OrderRefusal) {
        let places = sold.indices.filter {
            sold[$0].barcode == item.article || sold[$0].sku == item.article || sold[$0].sku == item.sku
        }
        guard !places.isEmpty else { throw .notInOrder(article: item.article) }
        let all = places.reduce(0) { $0 + left($1) }
        let wanted = item.quantityMilli ?? all
        guard wanted > 0, wanted <= all else {
            throw .moreThanLeft(article: item.article, quantityMilli: wanted, left: all)
        }
        var open = wanted
        for place in places where open > 0 {
            let part = min(open, left(place))
            taken[place] += part
            open -= part
        }
    }

    func lines() throws(OrderRefusal) -> [RefundLine] {
        var lines: [RefundLine] = []
        for (place, line) in sold.enumerated() where taken[place] > 0 {
            lines.append(
                RefundLine(
                    place: place, sku: line.sku, barcode: line.barcode, name: line.name,
                    quantityMilli: taken[place],
                    total: try price(of: line, through: before[place] + taken[place])
                        - price(of: line, through: before[place]),
                    taxBasisPoints: line.taxBasisPoints))
        }
        return lines
    }

    private func price(of line: RefundableLine, through quantity: Int64) throws(OrderRefusal) -> Int64 {
        do throws(PricingError) {
            return try MoneyRange.share(
                of: line.total, times: quantity, over: line.quantityMilli)
        } catch {
            throw .amountTooLarge
        }
    }
}
