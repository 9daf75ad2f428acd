internal import Credentials
internal import GRDB
internal import HubProtocol
internal import Pricing
public import Retail

extension SQLiteFeedCopy: OfferCopy {
    /// Promotions that need a coupon do not count.
    public var hasPromotions: Bool { holdings.promotions.hasFreePromotions }

    /// As of the latest ``refresh()``.
    public var hasCoupons: Bool { holdings.hasCoupons }

    /// Evaluates offers as a terminal without the hub: uses of a coupon in sales that are still pending
    /// count.
    public func response(to query: OfferQuery) async throws(InquiryError) -> OfferResponse {
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
    public func nextChange(for query: OfferQuery) async throws(InquiryError) -> Int64? {
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

    /// Those of `codes` that the copy has, used once more for each sale here without a result from the hub:
    /// the hub's count does not include them yet.
    private func coupons(_ codes: [String]) async throws(InquiryError) -> [String: Coupon] {
        guard !codes.isEmpty else { return [:] }
        let key = holdings.couponKey
        return try await responding { connection in
            var found: [String: Coupon] = [:]
            for code in Set(codes) {
                let id = key?.digest(ofCoupon: code) ?? code
                let row = try Self.rows("entity = 'coupon' AND entity_id = ?", [id], in: connection).first
                guard let coupon = row.flatMap(Self.value).flatMap({ try? Coupon(json: $0) }) else {
                    continue
                }
                guard coupon.maximumUses != nil else {
                    found[code] = coupon
                    continue
                }
                found[code] = coupon.used(times: try Self.pendingUses(of: code, in: connection))
            }
            return found
        }
    }

    /// The sales without a result from the hub that used `code`, in any spelling, and were not voided.
    private static func pendingUses(of code: String, in connection: Database) throws -> Int64 {
        // Bodies are canonical, so that a sale without coupons need not be read.
        let bodies = try Blob.fetchAll(
            connection,
            sql: """
                SELECT body FROM journal WHERE verdict IS NULL AND type = 'order.completed'
                    AND instr(body, CAST('"coupons":["' AS BLOB)) > 0
                """)
        let wanted = CouponCode.normalForm(of: code)
        let uses = try bodies.count { blob in
            let payload = (try? JSONParser.parse(blob.bytes))?["payload"]
            guard
                (try? payload?.strings("coupons"))?.contains(where: {
                    CouponCode.normalForm(of: $0) == wanted
                }) == true
            else { return false }
            return try !isVoided(payload?["orderId"]?.string, in: connection)
        }
        return Int64(uses)
    }

    private static func isVoided(_ orderId: String?, in connection: Database) throws -> Bool {
        try Bool.fetchOne(
            connection, sql: "SELECT voided_at IS NOT NULL FROM orders WHERE order_id = ?",
            arguments: [orderId]) ?? false
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

extension Coupon {
    fileprivate func used(times more: Int64) -> Coupon {
        Coupon(
            code: code, promotionId: promotionId, memberId: memberId, maximumUses: maximumUses,
            uses: uses + more, expiresAt: expiresAt, worksOffline: worksOffline)
    }
}
