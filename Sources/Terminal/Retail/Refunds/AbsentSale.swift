package import HubProtocol
internal import OfflineCore
internal import Pricing

/// A sale that this terminal does not hold, as far as a refund of it needs it.
package struct AbsentSale: Hashable, Sendable {
    /// The receipt's code; nil: the goods came without a receipt.
    package let receipt: ReceiptCode?
    /// The hub's id of the sale; nil where the hub did not respond, so that the refund is limited.
    package let orderId: String?
    /// ISO 4217.
    package let currency: String
    /// All that can come back, with what the hub reported as returned.
    package let lines: [RefundableLine]
    /// What the hub reported as returned, oldest first; it is in ``RefundableLine/returnedMilli``.
    package let returned: [ReceiptSale.Refund]
    /// What may be given back without the order; nil where the hub has it.
    package private(set) var limits: RefundLimits?
    /// Whether a card, wallet or voucher paid a part, or that is not known: its money comes back in cash
    /// here.
    package let isPaidByCard: Bool

    package init(
        receipt: ReceiptCode?, orderId: String?, currency: String, lines: [RefundableLine],
        returned: [ReceiptSale.Refund], limits: RefundLimits?, isPaidByCard: Bool = true
    ) {
        self.isPaidByCard = isPaidByCard
        self.receipt = receipt
        self.orderId = orderId
        self.currency = currency
        self.lines = lines
        self.returned = returned
        self.limits = limits
    }

    /// The same, limited to what is given back without the hub's word.
    func limited(_ limits: RefundLimits) -> AbsentSale {
        var sale = self
        sale.limits = limits
        return sale
    }

    /// The sale as the hub described it; nil for a description that is no sale.
    ///
    /// - Parameter counted: skus whose stock is counted here.
    init?(_ sale: ReceiptSale, of receipt: ReceiptCode, counted: Set<String>) {
        self.receipt = receipt
        orderId = sale.orderId
        currency = sale.currency
        limits = nil
        // A hub of before does not report it.
        isPaidByCard =
            sale.payments?.contains { $0.kind != .cash } ?? true
        returned = sale.refunds
        var gone = ReturnedQuantities(sale.refunds)
        var lines: [RefundableLine] = []
        for line in sale.lines {
            guard (1...MoneyRange.maximum).contains(line.quantityMilli),
                (0...MoneyRange.maximum).contains(line.total)
            else { return nil }
            var next = RefundableLine(
                sku: line.sku, barcode: line.barcode, name: line.name, quantityMilli: line.quantityMilli,
                total: line.total, taxBasisPoints: line.taxBasisPoints, isCounted: counted.contains(line.sku))
            next.returnedMilli = gone.take(of: line.sku, atMost: next.quantityMilli)
            lines.append(next)
        }
        self.lines = lines
    }

    /// The sale as its signed code lists it. An article that the catalogue does not have is left out, since
    /// its name and tax are not on the code.
    init(_ receipt: ReceiptCode, articles: [String: Product], limits: RefundLimits) {
        self.receipt = receipt
        orderId = nil
        currency = receipt.currency
        returned = []
        isPaidByCard = true
        self.limits = limits
        lines = receipt.lines.compactMap { line in
            guard line.quantityMilli > 0, let article = articles[line.barcode] else { return nil }
            return RefundableLine(
                sku: article.sku, barcode: line.barcode, name: article.name,
                quantityMilli: line.quantityMilli, total: line.amount,
                taxBasisPoints: article.taxBasisPoints, isCounted: article.isCounted)
        }
    }

    /// Goods without a receipt, at the prices of now.
    init(
        goods: [(article: Product, entered: ScannedProduct.Entered)], currency: String, limits: RefundLimits
    ) throws(OrderRefusal) {
        receipt = nil
        orderId = nil
        returned = []
        isPaidByCard = true
        self.currency = currency
        self.limits = limits
        var lines: [RefundableLine] = []
        for (article, entered) in goods {
            let total: Int64
            do throws(PricingError) {
                total =
                    try MoneyRange.share(of: entered.unitPrice, times: entered.quantityMilli, over: 1000)
                    - entered.discount
            } catch {
                throw .amountTooLarge
            }
            lines.append(
                RefundableLine(
                    sku: article.sku, barcode: article.barcode, name: article.name,
                    quantityMilli: entered.quantityMilli, total: total,
                    taxBasisPoints: article.taxBasisPoints, isCounted: article.isCounted))
        }
        self.lines = lines
    }
}

/// What a terminal may give back without having the order, or the hub's word for it (`refund.withoutOrder`).
package struct RefundLimits: Hashable, Sendable {
    /// Minor units of one refund.
    package var perRefund: Int64
    /// Minor units of all such refunds of one business day at this terminal.
    package var perDay: Int64

    package init(perRefund: Int64, perDay: Int64) {
        self.perRefund = perRefund
        self.perDay = perDay
    }

    package static let none = RefundLimits(perRefund: .max, perDay: .max)

    /// The refusal of a refund; nil: it may be made.
    ///
    /// - Parameter today: what such refunds came to on this business day.
    package func refusal(of total: Int64, currency: String, after today: Int64) -> OrderRefusal? {
        if total > perRefund { return .aboveLimit(AmountText.money(perRefund, currency), of: .oneRefund) }
        let (sum, overflows) = today.addingReportingOverflow(total)
        guard overflows || sum > perDay else { return nil }
        return .aboveLimit(AmountText.money(perDay, currency), of: .oneDay)
    }
}

/// Where ``RefundLimits`` come from: what the terminal's own file and its store set, else by the currency.
package struct RefundLimitSettings: Hashable, Sendable {
    package struct Limit: Hashable, Sendable {
        /// What file or environment set; it lowers, it raises nothing. Nil: nothing.
        package var own: Int64?
        /// What the store set; nil: nothing.
        package var store: Int64?

        /// Makes a limit; by default nobody set it.
        package init(own: Int64? = nil, store: Int64? = nil) {
            (self.own, self.store) = (own, store)
        }

        /// The lower of what was set; nil: nobody set it.
        package var least: Int64? { [own, store].compactMap(\.self).min() }

        fileprivate func amount(standard: Int64) -> Int64 { min(own ?? .max, store ?? standard) }
    }

    /// Key `refund.withoutOrder.perRefund`.
    package var perRefund: Limit
    /// Key `refund.withoutOrder.perDay`.
    package var perDay: Limit

    /// 200.00 for one refund and 500.00 for a day, in a currency with two decimals; without decimals 20,000
    /// and 50,000 units. Half of it makes cashiers call the manager for ordinary goods, double lets one
    /// receipt cost that at every terminal that does not reach the hub.
    private static let standard: (perRefund: Int64, perDay: Int64) = (20_000, 50_000)

    /// Makes settings; by default the limits depend on the currency alone.
    package init(perRefund: Limit = Limit(), perDay: Limit = Limit()) {
        (self.perRefund, self.perDay) = (perRefund, perDay)
    }

    /// The limits in minor units of `currency`, ISO 4217.
    package func limits(in currency: String) -> RefundLimits {
        let scale: Int64 = AmountText.decimals(of: currency) > 2 ? 10 : 1
        return RefundLimits(
            perRefund: perRefund.amount(standard: Self.standard.perRefund * scale),
            perDay: perDay.amount(standard: Self.standard.perDay * scale))
    }
}

/// What the hub responded about a receipt.
package enum FoundReceipt: Hashable, Sendable {
    case sale(ReceiptSale)
    /// The hub does not have the sale yet.
    case unmatched
    /// No terminal of the hub signed the code.
    case invalid
}

/// Finds the sale of a receipt at the hub.
package protocol ReceiptFinding: Sendable {
    /// The hub's response about `receipt`.
    func find(_ receipt: ReceiptCode) async throws(InquiryError) -> FoundReceipt
}

/// The keys by which the terminals of the store sign receipts, in the terminal's own copy.
package protocol ReceiptKeys: Sendable {
    /// Nil for a terminal that is not of this store, or no longer trusted.
    func key(of terminalId: String) -> TerminalKey?
}
