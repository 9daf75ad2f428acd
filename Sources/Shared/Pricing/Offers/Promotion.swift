/// A reduction that a store gives of itself, or for a coupon that names it.
package struct Promotion: Hashable, Sendable {
    /// What is taken off.
    package enum Reduction: Hashable, Sendable {
        /// A share of each line's price, in hundredths of a percent, from 1 to 10,000.
        case percent(basisPoints: Int64)
        /// Minor units off the sale, once.
        case amount(Int64)
        /// Minor units off each full ``Promotion/minimumQuantityMilli``, or each full
        /// ``Promotion/minimumAmount``.
        case bundle(Int64)
        /// Minor units that a whole unit costs at most.
        case price(Int64)
    }

    /// Whom it is for.
    package enum Audience: Hashable, Sendable {
        case everyone
        /// Every member who is known.
        case members
        /// Members of these tiers.
        case tiers(Set<String>)

        /// Whether it is for a sale with this membership; nil: without a member who is known.
        func includes(_ membership: Basket.Membership?) -> Bool {
            switch self {
            case .everyone: true
            case .members: membership != nil
            case .tiers(let tiers): membership?.tier.map(tiers.contains) ?? false
            }
        }
    }

    /// Beside which others it is given.
    package enum Competition: Hashable, Sendable {
        /// Beside all others.
        case none
        /// Of those with this name a sale gets one, the one with which the most comes off.
        case group(String)
        /// Alone, and where more comes off than by all others together.
        case exclusive
    }

    /// Unique in the chain; coupons and sales refer to it.
    package let id: String
    /// The text on the receipt.
    package let name: String
    /// How much, and of what; always above 0.
    package let reduction: Reduction
    /// The one article that it reaches; nil: no matter.
    package let sku: String?
    /// The one department that it reaches; nil: no matter.
    package let department: String?
    /// What the lines that it reaches come to at least, in thousandths; 0: any quantity.
    package let minimumQuantityMilli: Int64
    /// What is left to pay of the lines that it reaches at least, in minor units, when its turn comes; 0: any
    /// amount.
    package let minimumAmount: Int64
    /// In force from then on, milliseconds since 1970; nil: always was.
    package let startsAt: Int64?
    /// In force until just before, milliseconds since 1970; nil: for ever.
    package let endsAt: Int64?
    /// The hours of the week in which it is given; nil: all.
    package let hours: WeeklyHours?
    /// Whom it is for.
    package let audience: Audience
    /// Beside which others it is given.
    package let competition: Competition
    /// Whether a till without its hub may give it.
    package let worksOffline: Bool
    /// Whether coupons give it; then nothing else does.
    package let needsCoupon: Bool
    /// The one store that gives it; nil: every store.
    package let storeId: String?

    /// Makes a promotion without a check; nil means any article, any department, no begin, no end, any hour,
    /// every store.
    package init(
        id: String, name: String, reduction: Reduction, sku: String?, department: String?,
        minimumQuantityMilli: Int64, startsAt: Int64?, endsAt: Int64?, worksOffline: Bool, needsCoupon: Bool,
        storeId: String? = nil, minimumAmount: Int64 = 0, hours: WeeklyHours? = nil,
        audience: Audience = .everyone, competition: Competition = .none
    ) {
        self.id = id
        self.name = name
        self.reduction = reduction
        self.sku = sku
        self.department = department
        self.minimumQuantityMilli = minimumQuantityMilli
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.worksOffline = worksOffline
        self.needsCoupon = needsCoupon
        self.storeId = storeId
        self.minimumAmount = minimumAmount
        self.hours = hours
        self.audience = audience
        self.competition = competition
    }

    /// Whether it is given at `moment`, milliseconds since 1970, by the store's clock.
    package func isInForce(at moment: Int64, by clock: StoreClock) -> Bool {
        (startsAt.map { $0 <= moment } ?? true) && (endsAt.map { moment < $0 } ?? true)
            && (hours?.contains(moment, by: clock) ?? true)
    }

    /// The next moment after `moment` at which time alone may begin or end it; nil: none.
    func nextChange(after moment: Int64, by clock: StoreClock) -> Int64? {
        [startsAt, endsAt, hours?.nextChange(after: moment, by: clock)].compactMap(\.self)
            .filter { $0 > moment }.min()
    }

    /// Whether it comes before `other` where a sale gets both: prices first, then what depends on quantities
    /// alone, then what depends on what is left to pay; each in the order of the ids.
    func precedes(_ other: Promotion) -> Bool { (turn, id) < (other.turn, other.id) }

    private var turn: Int {
        if case .price = reduction { return 0 }
        return minimumAmount == 0 ? 1 : 2
    }
}
