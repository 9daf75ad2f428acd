import HubProtocol

/// The coupons that a sale took, and `coupon.redeemed` outside of one.
///
/// Only the hub counts a coupon's uses, since only it gets all sales; what a till took that it should not
/// have, knowing less, is flagged and accepted.
enum CouponRules {
    /// The codes of a sale, each once: a sale takes a coupon once, however often it names it.
    static func codes(of payload: JSONValue) -> [String] {
        guard let named = payload["coupons"]?.array else { return [] }
        var seen: Set<String> = []
        let codes = named.compactMap(\.string).filter { seen.insert($0).inserted }
        return Array(codes.prefix(BasketShape.limits.coupons))
    }

    static func use(of codes: [String]) -> [IntakeEffect] {
        codes.map { IntakeEffect.countCoupon(code: $0, uses: 1) }
    }

    static func redemption(_ mutation: Mutation) -> [IntakeEffect] {
        use(of: [mutation.payload["code"]?.string ?? mutation.entityId])
    }
}
