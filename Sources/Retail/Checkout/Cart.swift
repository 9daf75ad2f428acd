public import Pricing

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

/// What a basket comes to, before anything of it is paid.
public struct Quote: Hashable, Sendable {
    public let lines: [SaleLine]
    /// ISO 4217.
    public let currency: String
    public let totals: ReceiptTotals
    /// Added to the total when all of it is paid in cash.
    public let cashRounding: Int64
    /// Nil where none was named. Whom nobody knows is here as typed.
    public let member: Member?
    /// Whether the hub or the till's own copy knows ``member``.
    public let isMemberKnown: Bool

    /// What is due in cash, in minor units.
    public var dueInCash: Int64 { totals.total + cashRounding }
}
