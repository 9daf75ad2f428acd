package import HubProtocol
internal import OfflineCore
package import Pricing

/// The amounts of a basket before any payment.
package struct Quote: Hashable, Sendable {
    /// What a cashier should know before the customer pays. The raw value is the word of the interface.
    package enum Message: String, Hashable, Sendable, CaseIterable {
        /// Neither the hub nor the terminal's own copy has the member; the sale notes it as typed.
        case memberUnknown = "member_unknown"
        /// A coupon gives nothing here, and the terminal has no coupons to check it by; the hub checks it
        /// later.
        case couponUnchecked = "coupon_unchecked"
        /// The total is another one than the request's ``SaleRequest/quotedTotalMinor``.
        case priceChanged = "price_changed"
        /// The sale needs an approver, by a price, a discount or an open article of its lines.
        case approvalRequired = "approval_required"
        /// The sale is refused until the clock is set or confirmed.
        case clockDiffers = "clock_differs"
        /// The sale is refused until a shift is open.
        case shiftRequired = "shift_required"
        /// The sale is refused until the disk has room again.
        case diskFull = "disk_full"
    }

    /// In the order of the request, after discounts, promotions and coupons.
    package let lines: [SaleLine]
    /// ISO 4217.
    package let currency: String
    /// Total and taxes of ``lines`` in minor units, without ``cashRounding``.
    package let totals: ReceiptTotals
    /// Added to the total when all of it is paid in cash.
    package let cashRounding: Int64
    /// Nil without a member. A member that was not found is here as typed.
    package let member: Member?
    /// Whether the hub or the terminal's own copy has ``member``.
    package let isMemberKnown: Bool
    /// In the order of their declaration; empty: nothing.
    package let messages: [Message]
    /// Unix milliseconds at which a price or an offer begins or ends, or a coupon expires, that concerns
    /// ``lines``; nil: no moment is known.
    package let validUntil: Int64?
    /// What the sale would do to the member's points; nil: nothing.
    package let points: SalePoints?
}

extension Checkout {
    /// Prices `request` as ``sell(_:receivedAt:)`` does, and sells nothing; payments and people are ignored.
    package func quote(_ request: SaleRequest) async throws(SaleRefusal) -> Quote {
        try checkSize(of: request)
        var unpaid = request
        unpaid.payments = []
        let waiting = SaleWaiting(budget: ports.delivery.waitBudget)
        let found = await foundMember(of: request, waiting)
        let cart = try await pricedCart(of: unpaid, for: found, within: waiting)
        return Quote(
            lines: cart.lines, currency: cart.currency, totals: cart.totals,
            cashRounding: cart.settlement.cashRounding, member: found?.member,
            isMemberKnown: found?.isKnown ?? false,
            messages: await messages(about: cart, request, isMemberUnknown: found?.isKnown == false),
            validUntil: try await validUntil(cart), points: cart.points)
    }

    private func messages(
        about cart: Cart, _ request: SaleRequest, isMemberUnknown: Bool
    ) async -> [Quote.Message] {
        var messages: [Quote.Message] = []
        if isMemberUnknown { messages.append(.memberUnknown) }
        if !cart.uncheckedCoupons.isEmpty { messages.append(.couponUnchecked) }
        if let quoted = request.quotedTotalMinor, quoted != cart.totals.total {
            messages.append(.priceChanged)
        }
        let abilities = await abilities(ofQuote: request)
        if abilities.needsApproval(of: actions(in: cart)) { messages.append(.approvalRequired) }
        if let stop = abilities[.sale].refusal.flatMap({ Quote.Message(rawValue: $0.code) }) {
            messages.append(stop)
        }
        return messages
    }

    private func validUntil(_ cart: Cart) async throws(SaleRefusal) -> Int64? {
        let prices = try await catalogue { [ports, cart] () throws(CatalogueError) in
            try await ports.catalogue.priceChange(of: Set(cart.lines.map(\.sku)))
        }
        guard let query = cart.offerQuery else { return prices }
        return [prices, try await offers.nextChange(for: query)].compactMap(\.self).min()
    }
}
