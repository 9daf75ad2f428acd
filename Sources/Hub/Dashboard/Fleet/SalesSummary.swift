/// What was sold on a business day, or on each store's own; amounts are minor units of their currency.
package struct SalesSummary: Hashable, Sendable {
    /// The sums of one store, tender or cashier, or of all, in one currency.
    package struct Row: Hashable, Sendable {
        /// What the sums are of; empty for all, and for what has no name.
        package let key: String
        /// ISO 4217.
        package let currency: String
        /// Sales less voids.
        package let orders: Int64
        /// Before discounts, tax included.
        package let gross: Int64
        /// What was taken off.
        package let discounts: Int64
        /// What was given back.
        package let refunds: Int64
        /// Gross less discounts less refunds.
        package let net: Int64
        /// The tax in ``net``.
        package let tax: Int64
        /// Whether it is the sum of all that have no row of their own.
        package let isOthers: Bool

        /// Makes a row; by default it has a key of its own.
        package init(
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

    /// YYYY-MM-DD, the earliest first; several where each store is shown with its own running day.
    package let days: [String]
    /// One row for each currency.
    package let total: [Row]
    package let stores: [Row]
    package let tenders: [Row]

    /// Makes the sums of a day; by default nothing was sold.
    package init(day: String, total: [Row] = [], stores: [Row] = [], tenders: [Row] = []) {
        self.init(days: [day], total: total, stores: stores, tenders: tenders)
    }

    /// Makes the sums of several days, of which each store has one.
    package init(days: [String], total: [Row], stores: [Row], tenders: [Row] = []) {
        self.days = days
        self.total = total
        self.stores = stores
        self.tenders = tenders
    }

    /// The days as one text.
    var day: String { days.joined(separator: " / ") }
}
