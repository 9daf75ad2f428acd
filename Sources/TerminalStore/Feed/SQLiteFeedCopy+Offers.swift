internal import GRDB
internal import HubProtocol
internal import Pricing
public import Retail

extension SQLiteFeedCopy: OfferShelf {
    public var hasPromotions: Bool { holdings.promotions.contains { !$0.needsCoupon } }

    public var hasCoupons: Bool { holdings.hasCoupons }

    public func answer(to question: OfferQuestion) async throws(InquiryError) -> OfferAnswer {
        let coupons = try await coupons(question.coupons)
        let offers = Offers(promotions: holdings.promotions, coupons: coupons)
        do throws(PricingError) {
            return OfferAnswer(try offers.reductions(for: question.basket(at: now())))
        } catch {
            // The lines themselves come to more than money can hold, which their sum will say.
            return OfferAnswer(
                lines: question.lines.map { _ in [] },
                coupons: question.coupons.map { Reductions.CouponAnswer(code: $0, objection: nil) })
        }
    }

    /// Of `codes` those that the copy knows, used once more for each sale here that the hub has not judged:
    /// its count does not hold them yet.
    private func coupons(_ codes: [String]) async throws(InquiryError) -> [Coupon] {
        guard !codes.isEmpty else { return [] }
        return try await answering { connection in
            try Set(codes).compactMap { code in
                let row = try Self.rows("entity = 'coupon' AND entity_id = ?", [code], in: connection).first
                guard let coupon = row.flatMap(Self.value).flatMap({ try? Coupon(json: $0) }) else {
                    return nil
                }
                guard coupon.maximumUses != nil else { return coupon }
                return coupon.used(times: try Self.pendingUses(of: code, in: connection))
            }
        }
    }

    /// The sales without a verdict that took `code` and stand.
    private static func pendingUses(of code: String, in connection: Database) throws -> Int64 {
        let bodies = try Blob.fetchAll(
            connection,
            sql: """
                SELECT body FROM journal WHERE verdict IS NULL AND type = 'order.completed'
                    AND instr(body, CAST(? AS BLOB)) > 0
                """, arguments: [JSONValue.string(code).canonicalText])
        let uses = try bodies.count { blob in
            let payload = (try? JSONParser.parse(blob.bytes))?["payload"]
            guard (try? payload?.strings("coupons"))?.contains(code) == true else { return false }
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

extension OfferQuestion {
    /// As offers look at it in the till, where the hub cannot be asked.
    fileprivate func basket(at moment: Int64) -> Basket {
        Basket(
            lines: lines.map { line in
                Basket.Line(
                    sku: line.sku, department: line.department, quantityMilli: line.price.quantityMilli,
                    price: line.price.total)
            },
            coupons: coupons, memberId: memberId, moment: moment, isOffline: true)
    }
}

extension Coupon {
    fileprivate func used(times more: Int64) -> Coupon {
        Coupon(
            code: code, promotionId: promotionId, memberId: memberId, maximumUses: maximumUses,
            uses: uses + more, expiresAt: expiresAt, worksOffline: worksOffline)
    }
}
