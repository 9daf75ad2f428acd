/// What offers take off a sale, line by line.
package struct Reductions: Hashable, Sendable {
    /// What one promotion takes off one line.
    package struct Part: Hashable, Sendable {
        /// ``Promotion/id`` of what was given.
        package let promotionId: String
        /// The text on the receipt.
        package let name: String
        /// The coupon that gave it; nil: the promotion by itself.
        package let coupon: String?
        /// Minor units, positive.
        package let amount: Int64

        /// Makes a part without a check; `amount` is minor units above 0.
        package init(promotionId: String, name: String, coupon: String?, amount: Int64) {
            self.promotionId = promotionId
            self.name = name
            self.coupon = coupon
            self.amount = amount
        }
    }

    /// A coupon of the sale and what speaks against it; nil: it took something off.
    package struct CouponResponse: Hashable, Sendable {
        /// As the sale brought it.
        package let code: String
        /// Nil: the coupon took something off.
        package let objection: CouponObjection?
        /// Whether its sale uses a lease of it: ``Coupon/isLeased``.
        package let isLeased: Bool

        /// Makes the result of one coupon; by default it needs no lease.
        package init(code: String, objection: CouponObjection?, isLeased: Bool = false) {
            self.code = code
            self.objection = objection
            self.isLeased = isLeased
        }
    }

    /// As many as the sale has lines, in their order; of each what is taken off, in order.
    package let lines: [[Part]]
    /// As many as the sale brought, in their order.
    package let coupons: [CouponResponse]

    /// The most reductions of one line, so that no sale is larger than a request may be.
    package static let mostParts = 8
}
