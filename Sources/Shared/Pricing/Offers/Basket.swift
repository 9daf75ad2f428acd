/// A sale as offers look at it.
public struct Basket: Hashable, Sendable {
    public struct Line: Hashable, Sendable {
        public let sku: String
        /// Empty: none.
        public let department: String
        /// Thousandths of a unit.
        public let quantityMilli: Int64
        /// Minor units, what the line costs before any offer; what the cashier took off is off already.
        public let price: Int64

        public init(sku: String, department: String, quantityMilli: Int64, price: Int64) {
            self.sku = sku
            self.department = department
            self.quantityMilli = quantityMilli
            self.price = price
        }
    }

    public let lines: [Line]
    /// The coupons that the customer brought, in that order.
    public let coupons: [String]
    public let memberId: String?
    /// Milliseconds since 1970.
    public let moment: Int64
    /// Whether the hub is not reachable.
    public let isOffline: Bool

    public init(lines: [Line], coupons: [String], memberId: String?, moment: Int64, isOffline: Bool) {
        self.lines = lines
        self.coupons = coupons
        self.memberId = memberId
        self.moment = moment
        self.isOffline = isOffline
    }
}
