public import HubProtocol
import Pricing

/// A refund, as far as the hub computes with it.
public struct RefundFacts: Hashable, Sendable {
    /// Minor units that were given back.
    public let total: Int64
    /// Thousandths of a unit that came back, by sku.
    public let quantities: [String: Int64]
    /// ISO 4217, as the refund names it; nil where it names none that can be one.
    public let currency: String?

    /// Makes the facts of a refund that a store has kept; nothing is computed with its currency.
    public init(total: Int64, quantities: [String: Int64]) {
        self.total = total
        self.quantities = quantities
        currency = nil
    }

    /// Reads the payload of a `refund.completed`; a line without a quantity brings nothing back.
    public init(payload: JSONValue) throws(ShapeError) {
        var quantities: [String: Int64] = [:]
        for (index, line) in (payload["lines"]?.array ?? []).enumerated() {
            guard line["quantityMilli"] != nil else { continue }
            do throws(ShapeError) {
                let sku = try line.requiredString("sku")
                let quantity = try line.requiredInteger("quantityMilli", in: 1...MoneyRange.maximum)
                quantities[sku] = Merging.add(quantity, to: quantities[sku] ?? 0) ?? .max
            } catch {
                throw ShapeError(path: "lines[\(index)].\(error.path)", expected: error.expected)
            }
        }
        let hasTotal = payload["total"] != nil
        total = hasTotal ? try payload.requiredInteger("total", in: 0...MoneyRange.maximum) : 0
        self.quantities = quantities
        currency = payload["currency"]?.string.flatMap { SaleRules.isCurrency($0) ? $0 : nil }
    }
}

/// The cap on refunds: of a sale no more money and no more goods come back than went out, over all its
/// refunds and all tills together.
public enum RefundRules {
    /// Of a refund that names where its money went: together that is its total, with the rounding of cash.
    static func flags(of refund: RefundFacts, _ payload: JSONValue) -> Set<IntakeFlag> {
        guard let payments = payload["payments"]?.array else { return [] }
        let back = sum(payments.map { $0["amount"]?.integer ?? 0 })
        let due = Merging.add(payload["cashRounding"]?.integer ?? 0, to: refund.total)
        return back != nil && back == due ? [] : [.paymentDiffers]
    }

    /// What is too much about `refund`, as text; nil when the sale allows it.
    ///
    /// - Parameter earlier: what was accepted of the same sale before.
    public static func excess(
        of refund: RefundFacts, on sale: OrderFacts, earlier: [RefundFacts]
    ) -> String? {
        let all = earlier + [refund]
        guard let total = sum(all.map(\.total)), total <= sale.total else {
            let before = sum(earlier.map(\.total)) ?? 0
            func money(_ amount: Int64) -> String { AmountText.money(amount, sale.currency) }
            return "The sale came to \(money(sale.total)) and \(money(before)) of it was given back before; "
                + "\(money(refund.total)) more is too much."
        }
        for (sku, _) in refund.quantities.sorted(by: { $0.key < $1.key }) {
            let sold = sum(sale.lines.filter { $0.sku == sku }.map(\.quantityMilli)) ?? .max
            guard let back = sum(all.map { $0.quantities[sku] ?? 0 }), back <= sold else {
                return "Of \(sku) the sale holds \(sold) thousandths; less than that is left to give back."
            }
        }
        return nil
    }

    private static func sum(_ values: [Int64]) -> Int64? {
        values.reduce(Int64?.some(0)) { sum, value in sum.flatMap { Merging.add(value, to: $0) } }
    }
}
