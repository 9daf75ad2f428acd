internal import HubProtocol
internal import Pricing

/// A sale that is checked and priced, and not yet paid.
struct Cart {
    let lines: [SaleLine]
    let currency: String
    /// Those that took something off, and those that the terminal could not check.
    let coupons: [String]
    let totals: ReceiptTotals
    let settlement: Settlement
    /// What was queried about offers; nil: the store gives none, and the sale has no coupon.
    var offerQuery: OfferQuery?
    /// What the sale does to the member's points; nil: nothing.
    var points: SalePoints?

    /// What a card is to pay; nil without one.
    var cardAmount: Int64? {
        settlement.payments.first { $0.method == .card }?.amount
    }
}

extension Cart {
    /// Coupons that nothing here could check: the hub checks them with the sale.
    var uncheckedCoupons: [String] {
        let taken = Set(lines.flatMap(\.offers).compactMap(\.coupon))
        return coupons.filter { !taken.contains($0) }
    }
}
