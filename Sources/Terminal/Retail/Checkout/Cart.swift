public import Pricing

/// A sale that is checked and priced, and not yet paid.
struct Cart {
    let lines: [SaleLine]
    let currency: String
    /// Those that took something off, and those that the terminal could not check.
    let coupons: [String]
    let totals: ReceiptTotals
    let settlement: Settlement

    /// What a card is to pay; nil without one.
    var cardAmount: Int64? {
        settlement.payments.first { $0.method == .card }?.amount
    }
}

/// The amounts of a basket before any payment.
public struct Quote: Hashable, Sendable {
    /// In the order of the request, after discounts, promotions and coupons.
    public let lines: [SaleLine]
    /// ISO 4217.
    public let currency: String
    /// Total and taxes of ``lines`` in minor units, without ``cashRounding``.
    public let totals: ReceiptTotals
    /// Added to the total when all of it is paid in cash.
    public let cashRounding: Int64
    /// Nil without a member. A member that was not found is here as typed.
    public let member: Member?
    /// Whether the hub or the terminal's own copy has ``member``.
    public let isMemberKnown: Bool

    /// What is due in cash, in minor units.
    public var dueInCash: Int64 { totals.total + cashRounding }
}
