package import HubProtocol
import Pricing

/// A refund, as far as the hub computes with it.
package struct RefundFacts: Hashable, Sendable {
    /// Minor units that were given back.
    package let total: Int64
    /// Thousandths of a unit that came back, by sku.
    package let quantities: [String: Int64]
    /// ISO 4217, as the refund names it; nil where it names none that can be one.
    package let currency: String?

    /// Makes the facts of a refund that a store has kept; nothing is computed with its currency.
    package init(total: Int64, quantities: [String: Int64]) {
        self.total = total
        self.quantities = quantities
        currency = nil
    }

    /// What a refund moves; a line without a quantity brings nothing back.
    package init(of refund: CompletedRefund) throws(ShapeError) {
        var quantities: [String: Int64] = [:]
        for (index, line) in (refund.lines ?? []).enumerated() {
            guard let quantity = line.quantityMilli else { continue }
            guard let sku = line.sku else {
                throw ShapeError(path: "lines[\(index)].sku", expected: "a string")
            }
            quantities[sku] = Merging.add(quantity, to: quantities[sku] ?? 0) ?? .max
        }
        total = refund.total ?? 0
        self.quantities = quantities
        currency = NamedCurrency.of(refund.currency)
    }

    /// Reads the payload of a `refund.completed`.
    package init(payload: JSONValue) throws(ShapeError) {
        try self.init(of: CompletedRefund(json: payload))
    }
}

/// A refund or a void of a sale, as far as the rules look at it.
package enum Reversal: Hashable, Sendable {
    case refund(RefundFacts)
    case void
}

/// What a sale does not allow.
package enum RefundObjection: Hashable, Sendable {
    /// The sale was voided, or a void of it is reserved.
    case voided(isReserved: Bool)
    /// A void of a sale of which something came back, or is reserved.
    case refunded(isReserved: Bool)
    /// More than is left; the text has how much that is.
    case exceeds(String)

    /// Why the hub refuses it before it is made.
    package var reason: RefundDecision.Reason {
        switch self {
        case .voided: .voided
        case .refunded: .refunded
        case .exceeds: .exceedsSale
        }
    }

    /// For the person who decides about one that was made.
    func detail(orderId: String) -> String {
        switch self {
        case .voided(isReserved: false):
            "The order \(orderId) is voided already; its money came back with that."
        case .voided(isReserved: true): "The order \(orderId) is being voided at another terminal."
        case .refunded(isReserved: false):
            "The order \(orderId) was refunded in part or whole; refund the rest of it instead."
        case .refunded(isReserved: true): "The order \(orderId) is being refunded at another terminal."
        case .exceeds(let text): text
        }
    }
}

/// The cap on refunds: of a sale no more money and no more goods come back than went out, over all its
/// refunds and all tills together.
package enum RefundRules {
    /// What a sale does not allow: the one rule by which the hub decides before a refund or void is made, and
    /// judges one that was.
    ///
    /// - Parameter reserved: what others are about to make of it.
    package static func objection(
        to reversal: Reversal, of order: RefundableOrder, besides reserved: [RefundGrant]
    ) -> RefundObjection? {
        if order.state?.isVoided == true { return .voided(isReserved: false) }
        switch reversal {
        case .void:
            if !order.refunds.isEmpty { return .refunded(isReserved: false) }
            if reserved.contains(where: { $0.kind == .void }) { return .voided(isReserved: true) }
            return reserved.isEmpty ? nil : .refunded(isReserved: true)
        case .refund(let refund):
            if reserved.contains(where: { $0.kind == .void }) { return .voided(isReserved: true) }
            guard let sale = order.sale else { return nil }
            return excess(
                of: refund, on: sale, goods: order.goods, earlier: order.refunds + reserved.map(\.facts)
            ).map { .exceeds($0) }
        }
    }

    /// Of a refund that names where its money went: together that is its total, with the rounding of cash.
    static func flags(of refund: CompletedRefund) -> Set<IntakeFlag> {
        guard let payments = refund.payments else { return [] }
        let back = sum(payments.map { $0.amount ?? 0 })
        let due = Merging.add(refund.cashRounding ?? 0, to: refund.total ?? 0)
        return back != nil && back == due ? [] : [.paymentDiffers]
    }

    /// What is too much about `refund`, as text; nil when the sale allows it.
    ///
    /// - Parameters:
    ///   - goods: ``RefundableOrder/goods``.
    ///   - earlier: what was accepted of the same sale before.
    package static func excess(
        of refund: RefundFacts, on sale: CompletedOrder, goods: [String: Int64]?, earlier: [RefundFacts]
    ) -> String? {
        let all = earlier + [refund]
        guard let total = sum(all.map(\.total)), total <= sale.total else {
            let before = sum(earlier.map(\.total)) ?? 0
            func money(_ amount: Int64) -> String { AmountText.money(amount, sale.currency) }
            return "The sale came to \(money(sale.total)) and \(money(before)) of it was given back before; "
                + "\(money(refund.total)) more is too much."
        }
        guard let goods else { return nil }
        for (sku, _) in refund.quantities.sorted(by: { $0.key < $1.key }) {
            let sold = goods[sku] ?? 0
            let before = sum(earlier.map { $0.quantities[sku] ?? 0 }) ?? sold
            guard let back = sum(all.map { $0.quantities[sku] ?? 0 }), back <= sold else {
                let (bought, left) = (
                    QuantityText.text(milli: sold), QuantityText.text(milli: max(0, sold - before))
                )
                return "The sale has \(bought) of \(sku), and \(left) of it is left to give back."
            }
        }
        return nil
    }

    private static func sum(_ values: [Int64]) -> Int64? {
        values.reduce(Int64?.some(0)) { sum, value in sum.flatMap { Merging.add(value, to: $0) } }
    }
}
