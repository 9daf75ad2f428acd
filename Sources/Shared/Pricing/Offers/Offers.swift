/// What a store gives: decided the same way at the till and at the hub.
///
/// Promotions come first, in the order of their ids, then coupons in the order in which they were brought
/// (cli.md, Money). Each takes its part of what those before it left of a line, rounded once per line, and no
/// line falls below zero. A line that eight have reduced is left as it is.
public struct Offers: Hashable, Sendable {
    /// In the order of their ids.
    private let promotions: [Promotion]
    /// By the codes as they were typed.
    private let coupons: [String: Coupon]

    /// - Parameters:
    ///   - promotions: all that may be given, in any order.
    ///   - coupons: of the codes that a sale brings those that are known.
    public init(promotions: [Promotion], coupons: [Coupon]) {
        self.init(
            promotions: promotions, typed: Dictionary(coupons.map { ($0.code, $0) }) { first, _ in first })
    }

    /// - Parameters:
    ///   - promotions: all that may be given, in any order.
    ///   - coupons: of the codes that a sale brings those that are known, by the code as the sale has it; two
    ///     spellings of one code have the same coupon.
    public init(promotions: [Promotion], typed coupons: [String: Coupon]) {
        self.promotions = promotions.sorted { $0.id < $1.id }
        self.coupons = coupons
    }

    /// What is taken off `basket`.
    ///
    /// - Throws: ``PricingError/overflow`` for prices that money cannot hold.
    public func reductions(for basket: Basket) throws(PricingError) -> Reductions {
        var cut = Reductions(basket)
        for promotion in promotions where !promotion.needsCoupon && isGiven(promotion, to: basket) {
            _ = try cut.take(promotion, coupon: nil)
        }
        for (place, code) in basket.coupons.enumerated() {
            let isRepeated = basket.coupons.prefix(place).contains { isSame($0, code) }
            cut.note(code, isRepeated ? .repeated : try objection(to: code, in: basket, taking: &cut))
        }
        return cut
    }

    /// Whether two codes of a sale are one coupon.
    private func isSame(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let coupon = coupons[one] else { return false }
        return coupon.code == coupons[other]?.code
    }

    /// Takes what `code` gives; nil when that is something.
    private func objection(
        to code: String, in basket: Basket, taking cut: inout Reductions
    ) throws(PricingError) -> CouponObjection? {
        guard let coupon = coupons[code] else { return .unknown }
        if let expiry = coupon.expiresAt, expiry <= basket.moment { return .expired }
        if let memberId = coupon.memberId, memberId != basket.memberId { return .otherMember }
        if let limit = coupon.maximumUses, coupon.uses >= limit { return .usedUp }
        guard coupon.worksOffline || !basket.isOffline else { return .needsHub }
        guard let promotion = promotions.first(where: { $0.id == coupon.promotionId }),
            isGiven(promotion, to: basket)
        else { return .notInForce }
        return try cut.take(promotion, coupon: code) ? nil : .nothingToTakeOff
    }

    /// The next moment at which time alone can change what is taken off `basket`, milliseconds since 1970: a
    /// promotion that reaches one of its lines begins or ends, or one of its coupons expires. Nil: none is
    /// known.
    ///
    /// Promotions that only the hub gives count too: the hub may be reached by then.
    public func nextChange(for basket: Basket) -> Int64? {
        let named = basket.coupons.compactMap { coupons[$0] }
        let given = Set(named.map(\.promotionId))
        var next = named.compactMap(\.expiresAt).filter { $0 > basket.moment }.min()
        for promotion in promotions where !promotion.needsCoupon || given.contains(promotion.id) {
            for case let moment? in [promotion.startsAt, promotion.endsAt]
            where moment > basket.moment && moment < next ?? .max
                && basket.lines.contains(where: promotion.reaches)
            {
                next = moment
            }
        }
        return next
    }

    private func isGiven(_ promotion: Promotion, to basket: Basket) -> Bool {
        promotion.isInForce(at: basket.moment) && (promotion.worksOffline || !basket.isOffline)
    }
}
