package import Pricing

package struct CouponFormat: ImportFormat {
    /// The fewest characters of a code that cannot be found by trying (docs/concepts/security.md): 10 random
    /// letters and digits are 3.6·10^15 codes, 12 years of one core at 10^7 a second; with 8 it is 3 days,
    /// with 12 15,000 years.
    package static let shortestSafeCode = 10

    /// `code`: a file withdraws a coupon by it.
    package static let idColumn = "code"
    /// The header line's names; `expires_at` is a moment of RFC 3339, `offline` is `true` or `false`.
    package static let columns = ["code", "promotion_id", "member_id", "max_uses", "expires_at", "offline"]
    /// An absent `member_id`, `max_uses` or `expires_at` means no such limit; an absent `offline` means
    /// false.
    package static let optionalColumns: Set = ["member_id", "max_uses", "expires_at", "offline"]

    private var codes = UniqueColumn("code")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for a code that an earlier line has or a field outside its range. The promotion is
    /// looked up later.
    package mutating func record(of row: ImportRow) throws(CSVError) -> Coupon {
        let coupon = Coupon(
            code: try row.text("code"), promotionId: try row.text("promotion_id"),
            memberId: try row.optionalText("member_id"),
            maximumUses: try row.optionalInteger("max_uses", in: 0...MoneyRange.maximum), uses: 0,
            expiresAt: try row.optionalMoment("expires_at"), worksOffline: try row.flag("offline"))
        try codes.note(coupon.code, on: row)
        return coupon
    }
}
