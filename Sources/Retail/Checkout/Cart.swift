internal import Pricing

/// A sale that is checked and priced, and not yet paid.
struct Cart {
    let lines: [SaleLine]
    let currency: String
    /// Those that took something off, and those that the till could not read.
    let coupons: [String]
    let totals: ReceiptTotals
    let settlement: Settlement

    /// What a card is to pay; nil without one.
    var cardAmount: Int64? {
        settlement.payments.first { $0.method == .card }?.amount
    }
}
