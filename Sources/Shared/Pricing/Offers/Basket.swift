/// A sale as offers look at it.
package struct Basket: Hashable, Sendable {
    /// One line of the sale; ``Reductions/lines`` has its reductions in the same place.
    package struct Line: Hashable, Sendable {
        /// The article's key; a promotion may be limited to it.
        package let sku: String
        /// Empty: none.
        package let department: String
        /// Thousandths of a unit.
        package let quantityMilli: Int64
        /// Minor units, what the line costs before any offer; what the cashier took off is off already.
        package let price: Int64

        /// Makes a line without a check; a `department` that is empty means none.
        package init(sku: String, department: String, quantityMilli: Int64, price: Int64) {
            self.sku = sku
            self.department = department
            self.quantityMilli = quantityMilli
            self.price = price
        }
    }

    /// What a member who is known gets offers by.
    package struct Membership: Hashable, Sendable {
        /// Nil: none.
        package let tier: String?

        package init(tier: String?) { self.tier = tier }
    }

    /// In the order of the sale.
    package let lines: [Line]
    /// The coupons that the customer brought, in that order.
    package let coupons: [String]
    /// The member that the sale is for; nil: none.
    package let memberId: String?
    /// Nil: without a member, or with one whom nobody knows.
    package let membership: Membership?
    /// Milliseconds since 1970.
    package let moment: Int64
    /// The store's, around ``moment``.
    package let clock: StoreClock
    /// Whether the hub is not reachable.
    package let isOffline: Bool

    /// Makes a basket; `moment` is milliseconds since 1970 and decides which offers are in force, hours of a
    /// week by `clock`.
    package init(
        lines: [Line], coupons: [String], memberId: String?, membership: Membership? = nil, moment: Int64,
        clock: StoreClock = .utc, isOffline: Bool
    ) {
        self.lines = lines
        self.coupons = coupons
        self.memberId = memberId
        self.membership = membership
        self.moment = moment
        self.clock = clock
        self.isOffline = isOffline
    }
}
