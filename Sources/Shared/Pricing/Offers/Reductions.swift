/// What offers take off a sale, line by line.
public struct Reductions: Hashable, Sendable {
    /// What one promotion takes off one line.
    public struct Part: Hashable, Sendable {
        /// ``Promotion/id`` of what was given.
        public let promotionId: String
        /// The text on the receipt.
        public let name: String
        /// The coupon that gave it; nil: the promotion by itself.
        public let coupon: String?
        /// Minor units, positive.
        public let amount: Int64

        /// Makes a part without a check; `amount` is minor units above 0.
        public init(promotionId: String, name: String, coupon: String?, amount: Int64) {
            self.promotionId = promotionId
            self.name = name
            self.coupon = coupon
            self.amount = amount
        }
    }

    /// A coupon of the sale and what speaks against it; nil: it took something off.
    public struct CouponResponse: Hashable, Sendable {
        /// As the sale brought it.
        public let code: String
        /// Nil: the coupon took something off.
        public let objection: CouponObjection?
        /// Whether its sale uses a lease of it: ``Coupon/isLeased``.
        public let isLeased: Bool

        /// Makes the result of one coupon; by default it needs no lease.
        public init(code: String, objection: CouponObjection?, isLeased: Bool = false) {
            self.code = code
            self.objection = objection
            self.isLeased = isLeased
        }
    }

    /// As many as the sale has lines, in their order; of each what is taken off, in order.
    public let lines: [[Part]]
    /// As many as the sale brought, in their order.
    public let coupons: [CouponResponse]

    /// The most reductions of one line, so that no sale is larger than a request may be.
    public static let mostParts = 8
}
