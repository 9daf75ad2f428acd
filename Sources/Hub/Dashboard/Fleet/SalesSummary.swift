/// What was sold on a business day; amounts are minor units of their currency.
public struct SalesSummary: Hashable, Sendable {
    /// The sums of one store, tender or cashier, or of all, in one currency.
    public struct Row: Hashable, Sendable {
        /// What the sums are of; empty for all, and for what has no name.
        public let key: String
        /// ISO 4217.
        public let currency: String
        /// Sales less voids.
        public let orders: Int64
        /// Before discounts, tax included.
        public let gross: Int64
        /// What was taken off.
        public let discounts: Int64
        /// What was given back.
        public let refunds: Int64
        /// Gross less discounts less refunds.
        public let net: Int64
        /// The tax in ``net``.
        public let tax: Int64
        /// Whether it is the sum of all that have no row of their own.
        public let isOthers: Bool

        /// Makes a row; by default it has a key of its own.
        public init(
            key: String, currency: String, orders: Int64, gross: Int64, discounts: Int64, refunds: Int64,
            net: Int64, tax: Int64, isOthers: Bool = false
        ) {
            self.key = key
            self.currency = currency
            self.orders = orders
            self.gross = gross
            self.discounts = discounts
            self.refunds = refunds
            self.net = net
            self.tax = tax
            self.isOthers = isOthers
        }
    }

    /// YYYY-MM-DD.
    public let day: String
    /// One row for each currency.
    public let total: [Row]
    /// By store.
    public let stores: [Row]
    /// By tender.
    public let tenders: [Row]

    /// Makes the sums of a day; by default nothing was sold.
    public init(day: String, total: [Row] = [], stores: [Row] = [], tenders: [Row] = []) {
        self.day = day
        self.total = total
        self.stores = stores
        self.tenders = tenders
    }
}
