/// The sums of a receipt: what is to be paid for its lines, and the tax within it.
public struct ReceiptTotals: Hashable, Sendable {
    /// The tax of one rate, taken out of everything that is paid at that rate.
    public struct TaxShare: Hashable, Sendable {
        /// Hundredths of a percent.
        public let basisPoints: Int64
        /// What is paid at this rate, tax included.
        public let paid: Int64
        /// `paid × rate ÷ (10000 + rate)`, half away from zero, once for the whole receipt.
        public let tax: Int64
    }

    /// The sum of the lines' totals.
    public let total: Int64
    /// One per rate that occurs, lowest first; a rate of 0 included.
    public let taxes: [TaxShare]
    /// The sum of the taxes.
    public let tax: Int64

    public init(lines: [PricedLine]) throws(PricingError) {
        total = try MoneyRange.sum(lines.lazy.map(\.total))
        var paidByRate: [Int64: Int64] = [:]
        for line in lines { paidByRate[line.taxBasisPoints, default: 0] += line.total }
        var taxes: [TaxShare] = []
        for (rate, paid) in paidByRate.sorted(by: { $0.key < $1.key }) {
            let tax = try MoneyRange.share(of: paid, times: rate, over: 10_000 + rate)
            taxes.append(TaxShare(basisPoints: rate, paid: paid, tax: tax))
        }
        self.taxes = taxes
        tax = try MoneyRange.sum(taxes.lazy.map(\.tax))
    }
}
