internal import Base

/// What an amount of money, a count of minor units, may be: at most 2⁵³−1 in size.
///
/// Amounts travel as JSON numbers, and those are exact only so far (RFC 7493, section 2.2).
package enum MoneyRange {
    /// 9,007,199,254,740,991 minor units.
    package static let maximum: Int64 = (1 << 53) - 1

    /// `amount`, when it fits.
    ///
    /// - Throws: ``PricingError/overflow``.
    package static func checked(_ amount: Int64) throws(PricingError) -> Int64 {
        guard amount >= -maximum, amount <= maximum else { throw .overflow }
        return amount
    }

    /// The sum of `amounts`, checked at each step.
    package static func sum(_ amounts: some Sequence<Int64>) throws(PricingError) -> Int64 {
        var sum: Int64 = 0
        for amount in amounts { sum = try checked(sum + checked(amount)) }
        return sum
    }

    /// `amount × factor ÷ divisor`, rounded half away from zero; the product may exceed 64 bits on the way.
    ///
    /// - Parameter divisor: positive.
    package static func share(
        of amount: Int64, times factor: Int64, over divisor: Int64
    ) throws(PricingError) -> Int64 {
        precondition(divisor > 0, "a share needs a positive divisor")
        let product = amount.magnitude.multipliedFullWidth(by: factor.magnitude)
        guard product.high < divisor.magnitude else { throw .overflow }
        let (quotient, remainder) = divisor.magnitude.dividingFullWidth(product)
        let roundsUp =
            remainder >= divisor.magnitude - remainder && !PlantedBug.amountRoundedDown.isPlanted
        guard let size = Int64(exactly: quotient), size < maximum || (size == maximum && !roundsUp) else {
            throw .overflow
        }
        let rounded = roundsUp ? size + 1 : size
        return (amount < 0) != (factor < 0) ? -rounded : rounded
    }
}
