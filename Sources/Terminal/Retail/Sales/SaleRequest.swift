package import Base
package import HubProtocol
package import OfflineMode

/// One complete sale as the cashier entered it, unchecked.
package struct SaleRequest: Hashable, Sendable {
    /// A tender.
    package struct Payment: Hashable, Sendable {
        /// A tender of the store; anything else is refused.
        package var method: String
        /// Minor units; nil takes the rest.
        package var amountMinor: Int64?
        /// The number of a voucher, as typed; nil: none.
        package var reference: String?

        /// Makes a tender; without `amountMinor` it pays what the others leave.
        package init(method: String, amountMinor: Int64? = nil, reference: String? = nil) {
            self.method = method
            self.amountMinor = amountMinor
            self.reference = reference
        }
    }

    /// The same key again returns the first sale, whatever else the request contains; nil: a fresh one is
    /// made.
    package var key: ULID?
    /// From 1 to 500 lines (``CheckoutPolicy/maximumLines``); the same barcode may be on several.
    package var lines: [EnteredLine]
    /// Empty: exact cash.
    package var payments: [Payment]
    /// A member's id or telephone number as typed, at most 200 bytes of UTF-8; nil: no member.
    package var memberId: String?
    /// Coupon codes as typed, at most 50 of at most 200 bytes each.
    package var coupons: [String]
    /// Who sells, at most 200 bytes of UTF-8; nil: the person who is signed in.
    package var cashierId: String?
    /// The PIN of ``cashierId`` for this sale alone; nil: the sign-in counts.
    @Secret package var pin: String?
    /// The approver of what the cashier's role does not allow.
    package var approver: PersonClaim.Approver?

    /// Points of the member that pay a part of it; nil or 0: none.
    package var points: Int64?

    /// The total that the customer was shown, in minor units; nil: none was. Another one is refused before
    /// anything is paid.
    package var quotedTotalMinor: Int64?
    /// A person has confirmed that the terminal's clock is right although the hub's differs.
    package var isClockConfirmed: Bool
    /// A person has confirmed that there is money left on a voucher that paid another sale here.
    package var isVoucherConfirmed = false

    /// Goods that come back for it, whose worth pays a part; nil: none. Set by ``Exchanges``.
    var returned: RefundDraft?

    /// The requester.
    var claim: PersonClaim { PersonClaim(cashierId: cashierId, pin: pin, approver: approver) }

    /// Makes a request. The defaults are a new key, exact cash, no member, and the person who is signed in.
    package init(
        key: ULID? = nil, lines: [EnteredLine], payments: [Payment] = [], memberId: String? = nil,
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

/// The response to the cashier's front end about a sale, after it is durable.
package struct SaleResult: Hashable, Sendable {
    /// The sale as recorded, also when an earlier request of the same key made it.
    package let sale: Sale
    /// The receipt as text, 40 columns.
    package let receipt: String
    /// Acknowledged or pending: whether the hub has the sale already.
    package let sync: SyncState
    /// How long the commit alone took.
    package let durable: Duration
    /// From the request's arrival to this response.
    package let elapsed: Duration
    /// What came back for it; nil: nothing.
    package internal(set) var refund: Refund?

    /// Whether an earlier request of the same key made the sale: nothing was written now.
    package var isRepeated: Bool { durable == .zero }

    /// Makes a response; both durations are of the monotonic clock.
    package init(sale: Sale, receipt: String, sync: SyncState, durable: Duration, elapsed: Duration) {
        self.sale = sale
        self.receipt = receipt
        self.sync = sync
        self.durable = durable
        self.elapsed = elapsed
    }
}
