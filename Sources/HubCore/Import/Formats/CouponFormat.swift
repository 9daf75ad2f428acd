public import Pricing

/// Coupons.
public struct CouponFormat: ImportFormat {
    public static let columns = ["code", "promotion_id", "member_id", "max_uses", "expires_at", "offline"]
    public static let optionalColumns: Set = ["member_id", "max_uses", "expires_at", "offline"]

    private var codes = UniqueColumn("code")

    public init() {}

    public mutating func record(of row: ImportRow) throws(CSVError) -> Coupon {
        let coupon = Coupon(
            code: try row.text("code", upTo: 128), promotionId: try row.text("promotion_id", upTo: 128),
            memberId: try row.optionalText("member_id", upTo: 128),
            maximumUses: try row.optionalInteger("max_uses", in: 0...MoneyRange.maximum), uses: 0,
            expiresAt: try row.optionalMoment("expires_at"), worksOffline: try row.flag("offline"))
        try codes.note(coupon.code, on: row)
        return coupon
    }
}
