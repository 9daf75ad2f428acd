internal import Credentials
internal import GRDB
internal import HubProtocol
internal import Pricing
package import Retail

extension SQLiteFeedCopy: OfferCopy {
    /// Promotions that need a coupon do not count.
    package var hasPromotions: Bool { holdings.promotions.hasFreePromotions }

    /// As of the latest ``refresh()``.
    package var hasCoupons: Bool { holdings.hasCoupons }

    /// Evaluates offers as a terminal without the hub.
    package func response(to query: OfferQuery) async throws(InquiryError) -> OfferResponse {
        let promotions = holdings.promotions
        let offers = Offers(promotions, typed: try await coupons(query.coupons))
        let membership = promotions.concernsMembers ? try await membership(of: query.memberId) : nil
        do throws(PricingError) {
            return OfferResponse(try offers.reductions(for: query.basket(at: now(), membership)))
        } catch {
            // The lines together are more than a money amount can contain; their sum reports it.
            return OfferResponse(
                lines: query.lines.map { _ in [] },
                coupons: query.coupons.map { Reductions.CouponResponse(code: $0, objection: nil) })
        }
    }

    /// By the promotions and coupons of the copy, whether or not the hub gave the offers.
    package func nextChange(for query: OfferQuery) async throws(InquiryError) -> Int64? {
        let coupons = try await coupons(query.coupons)
        return Offers(holdings.promotions, typed: coupons).nextChange(for: query.basket(at: now(), nil))
    }

    /// Of a member whom the copy has; nil: no such member.
    private func membership(of memberId: String?) async throws(InquiryError) -> Basket.Membership? {
        guard let memberId else { return nil }
        return try await responding { connection in
            try Self.rows("entity = 'member' AND entity_id = ?", [memberId], in: connection).first.map {
                row in
                Basket.Membership(tier: Self.value(row)?["tier"]?.string)
            }
        }
    }

    /// By the coupons of the copy, which lacks what the hub has since the last pull, and by what the hub
    /// named.
    package func limited(
        _ codes: [String], named: Set<String>
    ) async throws(InquiryError) -> [String: String] {
        var subjects = try await coupons(codes).filter { $1.isLeased }.mapValues(\.code)
        let key = holdings.couponKey
        for code in codes where named.contains(code) && subjects[code] == nil {
            subjects[code] = key?.digest(ofCoupon: code) ?? code
        }
        return subjects
    }

    /// Those of `codes` that the copy has. How often they were used without the hub is counted by leases.
    private func coupons(_ codes: [String]) async throws(InquiryError) -> [String: Coupon] {
        guard !codes.isEmpty else { return [:] }
        let key = holdings.couponKey
        return try await responding { connection in
            var found: [String: Coupon] = [:]
            for code in Set(codes) {
                let id = key?.digest(ofCoupon: code) ?? code
                let row = try Self.rows("entity = 'coupon' AND entity_id = ?", [id], in: connection).first
                found[code] = row.flatMap(Self.value).flatMap { try? Coupon(json: $0) }
            }
            return found
        }
    }
}

extension OfferQuery {
    /// A member as the terminal's own evaluation of offers uses it, without the hub.
    fileprivate func basket(at moment: Int64, _ membership: Basket.Membership?) -> Basket {
        Basket(
            lines: lines.map { line in
                Basket.Line(
                    sku: line.sku, department: line.department, quantityMilli: line.price.quantityMilli,
                    price: line.price.total)
            },
            coupons: coupons, memberId: memberId, membership: membership, moment: moment,
            clock: zone.clock, isOffline: true)
    }
}
