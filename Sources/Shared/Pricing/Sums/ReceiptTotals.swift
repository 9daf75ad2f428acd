/// The sums of a receipt: what is to be paid for its lines, and the tax within it.
package struct ReceiptTotals: Hashable, Sendable {
    /// The tax of one rate, taken out of everything that is paid at that rate.
    package struct TaxShare: Hashable, Sendable {
        /// Hundredths of a percent.
        package let basisPoints: Int64
        /// What is paid at this rate, tax included.
        package let paid: Int64
        /// `paid × rate ÷ (10000 + rate)`, half away from zero, once for the whole receipt.
        package let tax: Int64
    }

    /// The sum of the lines' totals.
    package let total: Int64
    /// One per rate that occurs, lowest first; a rate of 0 included.
    package let taxes: [TaxShare]
    /// The sum of the taxes.
    package let tax: Int64

    /// Adds up lines. Throws ``PricingError`` when a sum is more than money can be.
    package init(lines: [PricedLine]) throws(PricingError) {
        try self.init(paid: lines.map { (basisPoints: $0.taxBasisPoints, amount: $0.total) })
    }

    /// - Parameter paid: what is paid, tax included, by its tax's rate; amounts of one rate are added up.
    package init(paid: [(basisPoints: Int64, amount: Int64)]) throws(PricingError) {
        total = try MoneyRange.sum(paid.lazy.map(\.amount))
        var paidByRate: [Int64: Int64] = [:]
        for (rate, amount) in paid { paidByRate[rate, default: 0] += amount }
        var taxes: [TaxShare] = []
        for (rate, paid) in paidByRate.sorted(by: { $0.key < $1.key }) {
            let tax = try MoneyRange.share(of: paid, times: rate, over: 10_000 + rate)
            taxes.append(TaxShare(basisPoints: rate, paid: paid, tax: tax))
        }
        self.taxes = taxes
        tax = try MoneyRange.sum(taxes.lazy.map(\.tax))
    }
}
