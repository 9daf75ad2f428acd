/// What a store gives: decided the same way at the till and at the hub.
///
/// Promotions come first, in the order of their turns (``Promotion/precedes(_:)``), then coupons in the order
/// in which they were brought (cli.md, Money). Each takes its part of what those before it left of a line,
/// and no line falls below zero. A line that eight have reduced is left as it is. Where not all go together,
/// those are given with which the most comes off.
package struct Offers: Sendable {
    private let index: PromotionIndex
    /// By the codes as they were typed.
    private let coupons: [String: Coupon]

    /// - Parameters:
    ///   - promotions: all that may be given, in any order.
    ///   - coupons: of the codes that a sale brings those that are known.
    package init(promotions: [Promotion], coupons: [Coupon]) {
        self.init(
            PromotionIndex(promotions),
            typed: Dictionary(coupons.map { ($0.code, $0) }) { first, _ in first })
    }

    /// - Parameters:
    ///   - index: all promotions that may be given.
    ///   - coupons: of the codes that a sale brings those that are known, by the code as the sale has it; two
    ///     spellings of one code have the same coupon.
    package init(_ index: PromotionIndex, typed coupons: [String: Coupon]) {
        self.index = index
        self.coupons = coupons
    }

    /// What is taken off `basket`.
    ///
    /// - Throws: ``PricingError/overflow`` for prices that money cannot hold.
    package func reductions(for basket: Basket) throws(PricingError) -> Reductions {
        let goods = OfferGoods(basket.lines)
        let untouched = OfferTally(goods)
        var candidates: [OfferTally.Candidate] = []
        for promotion in index.reaching(goods) where isGiven(promotion, to: basket) {
            let candidate = OfferTally.Candidate(
                promotion: promotion, coupon: nil, reached: goods.reached(by: promotion))
            if try untouched.fulfils(candidate) { candidates.append(candidate) }
        }
        /// Of each coupon its candidate, or what speaks against it.
        var results: [Result<Int, CouponRefusal>] = []
        for (place, code) in basket.coupons.enumerated() {
            let promotion: Promotion
            do throws(CouponRefusal) {
                promotion = try self.promotion(of: code, at: place, in: basket)
            } catch {
                results.append(.failure(error))
                continue
            }
            let candidate = OfferTally.Candidate(
                promotion: promotion, coupon: code, reached: goods.reached(by: promotion))
            if try untouched.fulfils(candidate) {
                results.append(.success(candidates.count))
                candidates.append(candidate)
            } else {
                results.append(.failure(CouponRefusal(.nothingToTakeOff)))
            }
        }
        let choice = try OfferContest(candidates: candidates, goods: goods).best()
        return Reductions(
            lines: choice.tally.parts(of: candidates),
            coupons: zip(basket.coupons, results).map { code, result in
                let objection = Self.objection(to: result, by: choice)
                return Reductions.CouponResponse(
                    code: code, objection: objection,
                    isLeased: objection == nil && coupons[code]?.isLeased == true)
            })
    }

    private static func objection(
        to result: Result<Int, CouponRefusal>, by choice: OfferContest.Choice
    ) -> CouponObjection? {
        switch result {
        case .failure(let refusal): refusal.objection
        case .success(let number) where choice.tally.took(number): nil
        case .success(let number):
            choice.chosen.contains(number) || choice.tally.total == 0 ? .nothingToTakeOff : .notCombined
        }
    }

    /// Whether two codes of a sale are one coupon.
    private func isSame(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let coupon = coupons[one] else { return false }
        return coupon.code == coupons[other]?.code
    }

    private func promotion(
        of code: String, at place: Int, in basket: Basket
    ) throws(CouponRefusal) -> Promotion {
        guard !basket.coupons.prefix(place).contains(where: { isSame($0, code) }) else {
            throw CouponRefusal(.repeated)
        }
        guard let coupon = coupons[code] else { throw CouponRefusal(.unknown) }
        if let expiry = coupon.expiresAt, expiry <= basket.moment { throw CouponRefusal(.expired) }
        if let memberId = coupon.memberId, memberId != basket.memberId { throw CouponRefusal(.otherMember) }
        if let limit = coupon.maximumUses, coupon.uses >= limit { throw CouponRefusal(.usedUp) }
        guard coupon.worksOffline || !basket.isOffline else { throw CouponRefusal(.needsHub) }
        guard let promotion = index.promotion(coupon.promotionId), isInForce(promotion, for: basket) else {
            throw CouponRefusal(.notInForce)
        }
        guard promotion.audience.includes(basket.membership) else { throw CouponRefusal(.membersOnly) }
        return promotion
    }

    /// The next moment at which time alone can change what is taken off `basket`, milliseconds since 1970: a
    /// promotion that reaches one of its lines begins or ends, or one of its coupons expires. Nil: none is
    /// known.
    ///
    /// Promotions that only the hub gives count too: the hub may be reached by then.
    package func nextChange(for basket: Basket) -> Int64? {
        let goods = OfferGoods(basket.lines)
        let named = basket.coupons.compactMap { coupons[$0] }
        let given = Set(named.map(\.promotionId)).compactMap(index.promotion)
            .filter { !goods.reached(by: $0).isEmpty }
        let expiries = named.compactMap(\.expiresAt).filter { $0 > basket.moment }
        let turns = (index.reaching(goods) + given).compactMap {
            $0.nextChange(after: basket.moment, by: basket.clock)
        }
        return (expiries + turns).min()
    }

    private func isGiven(_ promotion: Promotion, to basket: Basket) -> Bool {
        isInForce(promotion, for: basket) && promotion.audience.includes(basket.membership)
    }

    private func isInForce(_ promotion: Promotion, for basket: Basket) -> Bool {
        promotion.isInForce(at: basket.moment, by: basket.clock)
            && (promotion.worksOffline || !basket.isOffline)
    }
}

/// What speaks against a coupon before anything is computed.
private struct CouponRefusal: Error {
    let objection: CouponObjection

    init(_ objection: CouponObjection) { self.objection = objection }
}
