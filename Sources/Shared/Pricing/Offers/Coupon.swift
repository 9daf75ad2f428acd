/// A code that gives a promotion.
package struct Coupon: Hashable, Sendable {
    /// At the hub as it was imported; on a terminal its keyed digest.
    package let code: String
    /// The promotion that the coupon gives; without it the coupon is refused as `notInForce`.
    package let promotionId: String
    /// The one member that it is for; nil: whoever brings it.
    package let memberId: String?
    /// How many sales it is for in all; nil: any number.
    package let maximumUses: Int64?
    /// How many sales the hub knows that took it.
    package let uses: Int64
    /// Holds until just before, milliseconds since 1970; nil: for ever.
    package let expiresAt: Int64?
    /// Whether a till without its hub may take it.
    package let worksOffline: Bool

    /// Makes a coupon without a check; nil means any member, any number of uses, no end.
    package init(
        code: String, promotionId: String, memberId: String?, maximumUses: Int64?, uses: Int64,
        expiresAt: Int64?, worksOffline: Bool
    ) {
        self.code = code
        self.promotionId = promotionId
        self.memberId = memberId
        self.maximumUses = maximumUses
        self.uses = uses
        self.expiresAt = expiresAt
        self.worksOffline = worksOffline
    }

    /// Whether its uses are lent to terminals: it is for a limited number of sales, and valid without the
    /// hub.
    package var isLeased: Bool { maximumUses != nil && worksOffline }
}

/// Why a coupon takes nothing off. The raw value is the word of the contract (http.md section 6).
package enum CouponObjection: String, Hashable, Sendable, CaseIterable {
    /// Nobody knows the code.
    case unknown
    /// The sale has it twice.
    case repeated
    case expired
    /// It belongs to another member.
    case otherMember
    /// It was used in as many sales as it is for.
    case usedUp
    /// What is left of its uses is lent to other terminals; only a terminal finds that, with the hub.
    case lent
    /// Only the hub can decide whether it is still valid.
    case needsHub
    /// Its promotion is not in force or not known.
    case notInForce
    /// Nothing in the sale is what it is for.
    case nothingToTakeOff
    /// Its promotion is for members, or for members of a tier, and the sale is not for one.
    case membersOnly
    /// Its promotion does not go together with others, with which more comes off.
    case notCombined
}
