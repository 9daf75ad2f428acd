/// One line of a receipt with its amounts: price times quantity, less its discount.
package struct PricedLine: Hashable, Sendable {
    /// Thousandths of a unit; 1000 is one piece or one kilogram.
    package let quantityMilli: Int64
    /// Minor units per whole unit, tax included.
    package let unitPrice: Int64
    /// Taken off the whole line, from 0 up to ``gross``.
    package let discount: Int64
    /// The rate of the tax included in the price, in hundredths of a percent.
    package let taxBasisPoints: Int64
    /// `unitPrice × quantityMilli ÷ 1000`, half away from zero.
    package let gross: Int64
    /// What is paid for the line: ``gross`` less ``discount``.
    package var total: Int64 { gross - discount }

    /// - Throws: ``PricingError`` for a negative price or discount, a discount above the line, an overflow.
    package init(
        quantityMilli: Int64, unitPrice: Int64, discount: Int64, taxBasisPoints: Int64
    ) throws(PricingError) {
        guard unitPrice >= 0 else { throw .negativeAmount(unitPrice) }
        guard discount >= 0 else { throw .negativeAmount(discount) }
        self.unitPrice = try MoneyRange.checked(unitPrice)
        self.quantityMilli = try MoneyRange.checked(quantityMilli)
        gross = try MoneyRange.share(of: unitPrice, times: quantityMilli, over: 1000)
        guard discount <= max(gross, 0) else { throw .discountAboveLine(discount: discount, gross: gross) }
        self.discount = discount
        self.taxBasisPoints = taxBasisPoints
    }
}

/// Why a sale has no price. Nothing was changed; the cashier corrects the entry.
package enum PricingError: Error, Hashable, Sendable {
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
