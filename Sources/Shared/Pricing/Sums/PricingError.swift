/// Why a sale has no price. Nothing was changed; the cashier corrects the entry.
public enum PricingError: Error, Hashable, Sendable {
    /// An amount leaves what money can hold (``MoneyRange``).
    case overflow
    /// A price, a discount or a tendered amount is below zero.
    case negativeAmount(Int64)
    /// The discount of a line is larger than the line.
    case discountAboveLine(discount: Int64, gross: Int64)
    /// What was tendered does not cover what is due.
    case tenderShort(due: Int64, tendered: Int64)
    /// Cards would pay more than the total, and a card gives no change.
    case cardAboveTotal(total: Int64, card: Int64)
    /// More than one tender without an amount: which of them is to take the rest?
    case severalOpenTenders
}
