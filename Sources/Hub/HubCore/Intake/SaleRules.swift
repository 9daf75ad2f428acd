import HubProtocol
import Pricing

/// The rules of `order.completed`: what makes it a sale, and whether its sums add up (cli.md, Money).
enum SaleRules {
    static func assess(_ payload: JSONValue) throws(ShapeError) -> IntakeRules.Assessment {
        let order = try facts(of: payload)
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
        let cards = takenCards(of: payload, order)
        let vouchers = VoucherUse.all(in: payload)
        return .accepted(
            flags: flags(of: order, payload).union(PayloadDetails.flags(ofSale: payload)).union(cards.flags)
                .union(vouchers.isRepeated ? [.voucherRepeated] : []),
            effects: [.recordOrder(order)] + effects + cards.effects
                + vouchers.uses.map { .useVoucher($0, orderId: order.orderId) }
                + CouponRules.use(of: order.coupons)
                + PointsRules.effects(ofSale: payload, order))
    }

    /// The card's money is taken with the sale that it pays, in the same transaction.
    private static func takenCards(
        of payload: JSONValue, _ order: OrderFacts
    ) -> (effects: [IntakeEffect], flags: Set<IntakeFlag>) {
        let cards = (payload["payments"]?.array ?? []).filter {
            $0["authorizationKey"]?.string != nil || $0["state"] == "storedOffline"
        }
        var flags: Set<IntakeFlag> = cards.count > PaymentRules.mostCards ? [.paymentUnmatched] : []
        let effects = cards.prefix(PaymentRules.mostCards).flatMap { payment -> [IntakeEffect] in
            let key = payment["authorizationKey"]?.string ?? ""
            if let stored = StoredPayment(payment, of: order, in: payload["shiftId"]?.string) {
                return [.storePayment(stored)]
            }
            if let authorized = PaymentAuthorization(key: key, payment, of: order) {
                return [.keepPayment(authorized), .capturePayment(key: key)]
            }
            // Money that nothing can be requested for.
            flags.insert(.paymentUnmatched)
            return [.capturePayment(key: key)]
        }
        return (effects, flags)
    }

    static func facts(of payload: JSONValue) throws(ShapeError) -> OrderFacts {
        var lines: [OrderFacts.Line] = []
        for (index, line) in try payload.requiredArray("lines").enumerated() {
            lines.append(try lineFacts(line, at: index))
        }
        return OrderFacts(
            orderId: TextBound.key(try payload.requiredString("orderId")),
            orderNumber: TextBound.key(try payload.requiredString("orderNumber")),
            total: try payload.requiredInteger("total", in: 0...MoneyRange.maximum),
            currency: try payload.requiredString("currency"), lines: lines,
            coupons: CouponRules.codes(of: payload))
    }

    private static func lineFacts(_ line: JSONValue, at index: Int) throws(ShapeError) -> OrderFacts.Line {
        do throws(ShapeError) {
            return OrderFacts.Line(
                sku: try line.requiredString("sku"),
                quantityMilli: try line.requiredInteger("quantityMilli", in: 1...MoneyRange.maximum),
                unitPrice: try line.requiredInteger("unitPrice", in: 0...MoneyRange.maximum))
        } catch {
            throw ShapeError(path: "lines[\(index)].\(error.path)", expected: error.expected)
        }
    }

    private static func flags(of order: OrderFacts, _ payload: JSONValue) -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        do throws(PricingError) {
            let priced = try pricedLines(order.lines, payload, flags: &flags)
            let totals = try ReceiptTotals(lines: priced)
            if totals.total != order.total { flags.insert(.totalDiffers) }
            if payload["taxIncluded"]?.bool != false, totals.tax != payload["tax"]?.integer {
                flags.insert(.taxDiffers)
            }
            if try paid(payload) != order.total { flags.insert(.paymentDiffers) }
        } catch {
            flags.insert(.totalDiffers)
        }
        return flags
    }

    private static func pricedLines(
        _ lines: [OrderFacts.Line], _ payload: JSONValue, flags: inout Set<IntakeFlag>
    ) throws(PricingError) -> [PricedLine] {
        var priced: [PricedLine] = []
        for (facts, line) in zip(lines, payload["lines"]?.array ?? []) {
            let one = try PricedLine(
                quantityMilli: facts.quantityMilli, unitPrice: facts.unitPrice,
                discount: line["discount"]?.integer ?? 0, taxBasisPoints: rate(of: line))
            if one.total != line["total"]?.integer { flags.insert(.lineTotalDiffers) }
            priced.append(one)
        }
        return priced
    }

    private static func rate(of line: JSONValue) -> Int64 {
        min(max(line["taxBasisPoints"]?.integer ?? 0, 0), 1_000_000)
    }

    /// Payments less change and the rounding of cash.
    private static func paid(_ payload: JSONValue) throws(PricingError) -> Int64 {
        let payments = (payload["payments"]?.array ?? []).map { $0["amount"]?.integer ?? 0 }
        let change = try MoneyRange.checked(payload["change"]?.integer ?? 0)
        let rounding = try MoneyRange.checked(payload["cashRounding"]?.integer ?? 0)
        return try MoneyRange.sum(payments + [-change, -rounding])
    }

    static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }
}
