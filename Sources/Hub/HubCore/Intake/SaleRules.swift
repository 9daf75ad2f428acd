import HubProtocol
import Pricing

/// The rules of `order.completed`: what makes it a sale, and whether its sums add up (cli.md, Money).
enum SaleRules {
    static func assess(_ order: CompletedOrder) -> IntakeRules.Assessment {
        guard !order.orderId.isEmpty, !order.orderNumber.isEmpty else {
            return .rejected("A sale has an `orderId` and an `orderNumber`.")
        }
        guard !order.lines.isEmpty else { return .rejected("A sale has at least one line.") }
        guard isCurrency(order.currency) else {
            return .rejected("`currency` is an ISO 4217 code of three capital letters.")
        }
        let effects = order.lines.map { line in
            IntakeEffect.countStock(sku: line.sku, soldMilli: line.quantityMilli)
        }
        let cards = takenCards(of: order)
        let vouchers = VoucherUse.all(in: order.payments)
        return .accepted(
            flags: flags(of: order).union(order.isUnread ? [.detailsUnreadable] : []).union(cards.flags)
                .union(vouchers.isRepeated ? [.voucherRepeated] : []),
            effects: [.recordOrder(order)] + effects + cards.effects
                + MachineCard.all(in: order).prefix(PaymentRules.mostCards).map { .countMachineCard($0) }
                + vouchers.uses.map { .useVoucher($0, orderId: order.orderId) }
                + [CartSale(order)].compactMap(\.self).map { .sellCart($0, orderId: order.orderId) }
                + CouponRules.use(of: order.couponCodes)
                + PointsRules.effects(of: order))
    }

    /// The card's money is taken with the sale that it pays, in the same transaction.
    private static func takenCards(
        of order: CompletedOrder
    ) -> (effects: [IntakeEffect], flags: Set<IntakeFlag>) {
        let cards = (order.payments ?? []).filter {
            $0.authorizationKey != nil || $0.shownDetails.state == .storedOffline
        }
        var flags: Set<IntakeFlag> = cards.count > PaymentRules.mostCards ? [.paymentUnmatched] : []
        let effects = cards.prefix(PaymentRules.mostCards).flatMap { payment -> [IntakeEffect] in
            let key = payment.authorizationKey ?? ""
            if let stored = StoredPayment(payment, of: order) { return [.storePayment(stored)] }
            if let authorized = PaymentAuthorization(key: key, payment, of: order) {
                return [.keepPayment(authorized), .capturePayment(key: key)]
            }
            // Money that nothing can be requested for.
            flags.insert(.paymentUnmatched)
            return [.capturePayment(key: key)]
        }
        return (effects, flags)
    }

    private static func flags(of order: CompletedOrder) -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        do throws(PricingError) {
            let priced = try pricedLines(order.lines, flags: &flags)
            let totals = try ReceiptTotals(lines: priced)
            if totals.total != order.total { flags.insert(.totalDiffers) }
            if order.taxIncluded != false, totals.tax != order.tax { flags.insert(.taxDiffers) }
            if try paid(order) != order.total { flags.insert(.paymentDiffers) }
        } catch {
            flags.insert(.totalDiffers)
        }
        return flags
    }

    private static func pricedLines(
        _ lines: [CompletedOrder.Line], flags: inout Set<IntakeFlag>
    ) throws(PricingError) -> [PricedLine] {
        var priced: [PricedLine] = []
        for line in lines {
            let one = try PricedLine(
                quantityMilli: line.quantityMilli, unitPrice: line.unitPrice, discount: line.discount ?? 0,
                taxBasisPoints: rate(line.taxBasisPoints))
            if one.total != line.total { flags.insert(.lineTotalDiffers) }
            priced.append(one)
        }
        return priced
    }

    /// A rate that can be one, of 0 to 10,000 %.
    static func rate(_ basisPoints: Int64?) -> Int64 { min(max(basisPoints ?? 0, 0), 1_000_000) }

    /// Payments less change and the rounding of cash.
    private static func paid(_ order: CompletedOrder) throws(PricingError) -> Int64 {
        let payments = (order.payments ?? []).map { $0.amount ?? 0 }
        let change = try MoneyRange.checked(order.change ?? 0)
        let rounding = try MoneyRange.checked(order.cashRounding ?? 0)
        return try MoneyRange.sum(payments + [-change, -rounding])
    }

    static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}

extension CompletedOrder {
    /// Reads the payload, with id and number as the hub looks them up.
    init(received payload: JSONValue) throws(ShapeError) {
        try self.init(json: payload)
        orderId = TextBound.key(orderId)
        orderNumber = TextBound.key(orderNumber)
    }

    /// The coupons that it took, each once and as the hub looks them up: a sale takes a coupon once, however
    /// often it names it.
    var couponCodes: [String] {
        var seen: Set<String> = []
        let codes = coupons.map(TextBound.key).filter { seen.insert($0).inserted }
        return Array(codes.prefix(BasketShape.limits.coupons))
    }

    /// Whose points it moves; nil for one without a member, and for a text that is no id.
    var pointsMember: String? {
        memberId.flatMap { (1...MemberRules.longestId).contains($0.utf8.count) ? $0 : nil }
    }

    /// Thousandths of a unit that were sold, by sku.
    var goods: [String: Int64] {
        lines.reduce(into: [:]) { goods, line in
            goods[line.sku] = Merging.add(line.quantityMilli, to: goods[line.sku] ?? 0) ?? .max
        }
    }
}
