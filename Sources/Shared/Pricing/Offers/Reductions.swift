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

        /// Makes the result of one coupon.
        public init(code: String, objection: CouponObjection?) {
            self.code = code
            self.objection = objection
        }
    }

    /// As many as the sale has lines, in their order; of each what is taken off, in order.
    public private(set) var lines: [[Part]]
    /// As many as the sale brought, in their order.
    public private(set) var coupons: [CouponResponse] = []

    /// The most reductions of one line, so that no sale is larger than a request may be.
    public static let mostParts = 8

    private let basket: [Basket.Line]
    /// What is left of each line's price.
    private var left: [Int64]

    init(_ basket: Basket) {
        self.basket = basket.lines
        lines = basket.lines.map { _ in [] }
        left = basket.lines.map { max(0, $0.price) }
    }

    mutating func note(_ code: String, _ objection: CouponObjection?) {
        coupons.append(CouponResponse(code: code, objection: objection))
    }

    /// Takes what `promotion` gives.
    ///
    /// - Returns: whether that is anything.
    mutating func take(_ promotion: Promotion, coupon: String?) throws(PricingError) -> Bool {
        let reached = basket.indices.filter {
            promotion.reaches(basket[$0]) && lines[$0].count < Self.mostParts
        }
        let quantity = try MoneyRange.sum(reached.lazy.map { [basket] in basket[$0].quantityMilli })
        guard quantity > 0, quantity >= promotion.minimumQuantityMilli else { return false }
        let sets = quantity / max(1, promotion.minimumQuantityMilli)
        let amounts =
            switch promotion.reduction {
            case .percent(let basisPoints): try shares(basisPoints, of: reached)
            case .amount(let amount): try spread(amount, over: reached)
            case .bundle(let amount): try spread(Self.sum(of: amount, times: sets), over: reached)
            }
        for (index, amount) in zip(reached, amounts) where amount > 0 {
            left[index] -= amount
            lines[index].append(
                Part(promotionId: promotion.id, name: promotion.name, coupon: coupon, amount: amount))
        }
        return amounts.contains { $0 > 0 }
    }

    /// As much as money can hold, if it is more: no line pays more than it has.
    private static func sum(of amount: Int64, times count: Int64) -> Int64 {
        (try? MoneyRange.share(of: amount, times: count, over: 1)) ?? MoneyRange.maximum
    }

    private func shares(_ basisPoints: Int64, of reached: [Int]) throws(PricingError) -> [Int64] {
        var shares: [Int64] = []
        for index in reached {
            shares.append(
                min(left[index], try MoneyRange.share(of: left[index], times: basisPoints, over: 10_000)))
        }
        return shares
    }

    /// `amount`, or what is left if that is less, over lines by what is left of each. Every line takes the
    /// difference of two roundings of a running sum, so the parts add up to the amount and none is more than
    /// its line.
    private func spread(_ amount: Int64, over reached: [Int]) throws(PricingError) -> [Int64] {
        let whole = try MoneyRange.sum(reached.lazy.map { [left] in left[$0] })
        guard whole > 0 else { return reached.map { _ in 0 } }
        let amount = min(amount, whole)
        var (passed, given): (Int64, Int64) = (0, 0)
        var parts: [Int64] = []
        for index in reached {
            passed += left[index]
            let due = try MoneyRange.share(of: amount, times: passed, over: whole)
            parts.append(due - given)
            given = due
        }
        return parts
    }
}
