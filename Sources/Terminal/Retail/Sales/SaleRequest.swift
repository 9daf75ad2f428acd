public import Base

/// One complete sale as the cashier entered it, unchecked.
public struct SaleRequest: Hashable, Sendable {
    /// An article and how much of it.
    public struct Line: Hashable, Sendable {
        public var barcode: String
        /// Thousandths of a unit. Default 1000.
        public var quantityMilli: Int64
        /// Minor units per unit in place of the catalogue's price; nil: the catalogue's.
        public var unitPriceMinor: Int64?
        /// Minor units off the complete line; nil: none.
        public var discountMinor: Int64?
        public var discountReason: String?

        public init(
            barcode: String, quantityMilli: Int64 = 1000, unitPriceMinor: Int64? = nil,
            discountMinor: Int64? = nil, discountReason: String? = nil
        ) {
            self.barcode = barcode
            self.quantityMilli = quantityMilli
            self.unitPriceMinor = unitPriceMinor
            self.discountMinor = discountMinor
            self.discountReason = discountReason
        }
    }

    /// A tender.
    public struct Payment: Hashable, Sendable {
        /// `cash` or `card`; anything else is refused.
        public var method: String
        /// Minor units; nil takes the rest.
        public var amountMinor: Int64?

        public init(method: String, amountMinor: Int64? = nil) {
            self.method = method
            self.amountMinor = amountMinor
        }
    }

    /// The same key again returns the first sale, whatever else the request contains; nil: a fresh one is
    /// made.
    public var key: ULID?
    public var lines: [Line]
    /// Empty: exact cash.
    public var payments: [Payment]
    public var memberId: String?
    public var coupons: [String]
    public var cashierId: String?
    public var pin: String?
    /// The approver of what the cashier's role does not allow.
    public var approver: PersonClaim.Approver?

    /// The total that the customer was shown, in minor units; nil: none was. Another one is refused before
    /// anything is paid.
    public var quotedTotalMinor: Int64?
    /// A person has confirmed that the terminal's clock is right although the hub's differs.
    public var isClockConfirmed: Bool

    /// The requester.
    var claim: PersonClaim { PersonClaim(cashierId: cashierId, pin: pin, approver: approver) }

    public init(
        key: ULID? = nil, lines: [Line], payments: [Payment] = [], memberId: String? = nil,
        coupons: [String] = [], cashierId: String? = nil, pin: String? = nil,
        approver: PersonClaim.Approver? = nil, quotedTotalMinor: Int64? = nil,
        isClockConfirmed: Bool = false
    ) {
        self.key = key
        self.lines = lines
        self.payments = payments
        self.memberId = memberId
        self.coupons = coupons
        self.cashierId = cashierId
        self.pin = pin
        self.approver = approver
        self.quotedTotalMinor = quotedTotalMinor
        self.isClockConfirmed = isClockConfirmed
    }
}
