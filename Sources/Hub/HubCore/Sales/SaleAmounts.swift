internal import HubProtocol

/// What one entry of a journal adds to the figures of sales; all of it in minor units, tax included.
///
/// A void has the amounts of its sale with the opposite sign, so that sums over any entries are right.
package struct SaleAmounts: Hashable, Sendable {
    /// 1 for a sale, -1 for a void, 0 for a refund.
    package var orders: Int64
    /// What the goods cost before discounts.
    package var gross: Int64
    /// What discounts and offers took off.
    package var discounts: Int64
    /// What was given back.
    package var refunds: Int64
    /// The tax within what is left of ``gross`` less ``discounts`` less ``refunds``.
    package var tax: Int64

    /// Nothing sold and nothing given back, but for what is named.
    package init(
        orders: Int64 = 0, gross: Int64 = 0, discounts: Int64 = 0, refunds: Int64 = 0, tax: Int64 = 0
    ) {
        self.orders = orders
        self.gross = gross
        self.discounts = discounts
        self.refunds = refunds
        self.tax = tax
    }

    /// The same with the opposite sign.
    package static prefix func - (amounts: SaleAmounts) -> SaleAmounts {
        SaleAmounts(
            orders: -amounts.orders, gross: -amounts.gross, discounts: -amounts.discounts,
            refunds: -amounts.refunds, tax: -amounts.tax)
    }

    /// The sum of both in each figure.
    package static func + (left: SaleAmounts, right: SaleAmounts) -> SaleAmounts {
        SaleAmounts(
            orders: left.orders + right.orders, gross: left.gross + right.gross,
            discounts: left.discounts + right.discounts, refunds: left.refunds + right.refunds,
            tax: left.tax + right.tax)
    }

    /// Whether no amount of money is in it.
    var isEmpty: Bool { gross == 0 && discounts == 0 && refunds == 0 && tax == 0 }
}

/// A share of an entry: of one product, of one tender, or of one rate of tax.
package struct SalePart: Hashable, Sendable {
    /// What an entry is taken apart by.
    package enum Dimension: String, Hashable, Sendable, CaseIterable {
        /// By sku.
        case product = "p"
        /// By method of payment.
        case tender = "t"
        /// By rate, in hundredths of a percent.
        case tax = "x"
    }

    /// What the share is of.
    package let dimension: Dimension
    /// The sku, method or rate; nil for what belongs to none, so that the shares of a dimension always come
    /// to the entry's own amounts.
    package let key: String?
    /// The share.
    package let amounts: SaleAmounts

    init(_ dimension: Dimension, _ key: String?, _ amounts: SaleAmounts) {
        self.dimension = dimension
        // PostgreSQL holds no text with a zero byte.
        self.key = key.map { TextBound.key($0).replacing("\0", with: "\u{FFFD}") }
        self.amounts = amounts
    }
}
