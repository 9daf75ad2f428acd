package import Pricing

/// Evaluates a store's offers on a sale: the hub's service `marketing`, or the terminal from its own copy.
package protocol OfferEvaluating: Sendable {
    func response(to query: OfferQuery) async throws(InquiryError) -> OfferResponse
}

/// A priced sale before its offers.
package struct OfferQuery: Hashable, Sendable {
    /// One line of the sale, as promotions see it.
    package struct Line: Hashable, Sendable {
        /// The article's code in the catalogue; a promotion may be limited to it.
        package let sku: String
        /// Empty: none.
        package let department: String
        /// With what the cashier takes off.
        package let price: PricedLine

        /// Makes a line; an empty `department` means that no promotion of a department applies.
        package init(sku: String, department: String, price: PricedLine) {
            self.sku = sku
            self.department = department
            self.price = price
        }
    }

    /// The member that the sale is for; nil: none.
    package let memberId: String?
    /// In the order in which the customer brought them.
    package var coupons: [String]
    /// The store's clock around now, with its time zone's name.
    package let zone: StoreZone
    /// In the order of the sale; the response refers to them by place.
    package let lines: [Line]

    /// Makes a request. Coupons are codes as typed; nil as `memberId` means a sale without a member.
    package init(memberId: String?, coupons: [String], zone: StoreZone = .utc, lines: [Line]) {
        self.memberId = memberId
        self.coupons = coupons
        self.zone = zone
        self.lines = lines
    }
}

/// The store's time zone, and its clock around the moment of a request.
package struct StoreZone: Hashable, Sendable {
    /// In the tz database.
    package let name: String
    /// For offers that are given at some hours alone.
    package let clock: StoreClock

    /// Without summer time.
    package static let utc = StoreZone(name: "UTC", clock: .utc)

    package init(name: String, clock: StoreClock) {
        self.name = name
        self.clock = clock
    }
}

/// What offers take off a sale.
package struct OfferResponse: Hashable, Sendable {
    /// As many as the request has lines, in their order.
    package let lines: [[Reductions.Part]]
    /// As many as the request has coupons, in their order.
    package var coupons: [Reductions.CouponResponse]

    package init(lines: [[Reductions.Part]], coupons: [Reductions.CouponResponse]) {
        self.lines = lines
        self.coupons = coupons
    }

    package init(_ reductions: Reductions) {
        self.init(lines: reductions.lines, coupons: reductions.coupons)
    }

    /// Whether it can be the response to `query`: every line keeps a price of zero or more.
    func fits(_ query: OfferQuery) -> Bool {
        lines.count == query.lines.count && coupons.map(\.code) == query.coupons
            && zip(lines, query.lines).allSatisfy { parts, line in
                guard let cut = try? MoneyRange.sum(parts.lazy.map(\.amount)) else { return false }
                return parts.allSatisfy { $0.amount > 0 } && cut <= max(0, line.price.total)
            }
    }
}

/// A store's offers, as in the terminal's own copy.
package protocol OfferCopy: OfferEvaluating {
    /// Whether anything is given of itself, without a coupon. Read with every sale, so it is kept in memory.
    var hasPromotions: Bool { get }
    /// Kept in memory.
    var hasCoupons: Bool { get }

    /// The next moment at which time alone can change the offers of `query`, Unix milliseconds; nil: none is
    /// known.
    func nextChange(for query: OfferQuery) async throws(InquiryError) -> Int64?

    /// Those of `codes` of which each sale uses a lease, since they are for a limited number of sales also
    /// without the hub: those of the copy, and those that the hub named. The values are the subjects of these
    /// leases.
    func limited(
        _ codes: [String], named: Set<String>
    ) async throws(InquiryError) -> [String: String]
}
