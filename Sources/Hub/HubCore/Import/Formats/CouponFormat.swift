public import Pricing

/// Coupons.
public struct CouponFormat: ImportFormat {
    /// The fewest characters of a code that cannot be found by trying (security.md): 10 random letters and
    /// digits are 3.6·10^15 codes, 12 years of one core at 10^7 a second; with 8 it is 3 days, with 12 15,000
    /// years.
    public static let shortestSafeCode = 10

    public static let idColumn = "code"
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
