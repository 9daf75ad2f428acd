/// A reduction that a store gives of itself, or for a coupon that names it.
public struct Promotion: Hashable, Sendable {
    /// What is taken off.
    public enum Reduction: Hashable, Sendable {
        /// A share of each line's price, in hundredths of a percent, from 1 to 10,000.
        case percent(basisPoints: Int64)
        /// Minor units off the sale, once.
        case amount(Int64)
        /// Minor units off each full ``Promotion/minimumQuantityMilli``.
        case bundle(Int64)
    }

    /// Unique in the chain; coupons and sales refer to it.
    public let id: String
    /// The text on the receipt.
    public let name: String
    /// How much, and of what; always above 0.
    public let reduction: Reduction
    /// The one article that it reaches; nil: no matter.
    public let sku: String?
    /// The one department that it reaches; nil: no matter.
    public let department: String?
    /// What the lines that it reaches come to at least, in thousandths; 0: any quantity.
    public let minimumQuantityMilli: Int64
    /// In force from then on, milliseconds since 1970; nil: always was.
    public let startsAt: Int64?
    /// In force until just before, milliseconds since 1970; nil: for ever.
    public let endsAt: Int64?
    /// Whether a till without its hub may give it.
    public let worksOffline: Bool
    /// Whether coupons give it; then nothing else does.
    public let needsCoupon: Bool
    /// The one store that gives it; nil: every store.
    public let storeId: String?

    /// Makes a promotion without a check; nil means any article, any department, no begin, no end, every
    /// store.
    public init(
        id: String, name: String, reduction: Reduction, sku: String?, department: String?,
        minimumQuantityMilli: Int64, startsAt: Int64?, endsAt: Int64?, worksOffline: Bool, needsCoupon: Bool,
        storeId: String? = nil
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
    }

    /// Whether it is given at `moment`, milliseconds since 1970.
    public func isInForce(at moment: Int64) -> Bool {
        (startsAt.map { $0 <= moment } ?? true) && (endsAt.map { moment < $0 } ?? true)
    }

    /// Whether it reaches a line.
    public func reaches(_ line: Basket.Line) -> Bool {
        (sku.map { $0 == line.sku } ?? true) && (department.map { $0 == line.department } ?? true)
    }
}
