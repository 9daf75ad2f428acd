package import HubProtocol
package import OfflineCore
package import Pricing

/// What was sold, to whom and how it was paid: everything of a sale but its numbers.
package struct SaleContent: Hashable, Sendable {
    /// The mode at the begin of the sale; a switch during the sale does not change it.
    package let mode: Mode
    /// Unix milliseconds of the wall clock, for display.
    package let madeAt: Int64
    /// The store's zone in the tz database.
    package let timeZone: String
    /// ISO 4217.
    package let currency: String
    /// Who sold; nil in a store without cashiers, unless the request names one.
    package let cashierId: String?
    /// Whose PIN allowed what the cashier's role does not; nil: none was needed.
    package let approverId: String?
    /// The member's id, or the text as typed when no member was found; nil: a sale without a member.
    package let memberId: String?
    /// Nil: not known at the terminal at that time.
    package let memberName: String?
    /// Those that took something off, and those that the terminal could not check.
    package let coupons: [String]
    /// In the order of the request, never empty.
    package let lines: [SaleLine]
    /// Total and taxes of ``lines``.
    package let totals: ReceiptTotals
    /// In the order of the request, cash last; the amounts add up to total, rounding and ``change``.
    package let payments: [SalePayment]
    /// Added to the total by rounding the cash part to the smallest coin; its own line on the receipt.
    package let cashRounding: Int64
    /// Minor units that the customer got back in cash; 0: none.
    package let change: Int64
    /// The shift that was open when the sale was recorded; nil: none was.
    package var shiftId: String?
    /// What the sale does to the member's points; nil: nothing.
    package var points: SalePoints?
    /// What it used of the terminal's leases.
    package var leases: [LeaseUse]

    /// Makes the content of a sale from checked parts. Nil as `approverId`, `memberId` or `memberName`: there
    /// is none. By default it belongs to no shift, moves no points and uses no lease.
    package init(
        mode: Mode, madeAt: Int64, timeZone: String, currency: String, cashierId: String?,
        approverId: String? = nil, memberId: String?,
        memberName: String? = nil, coupons: [String], lines: [SaleLine], totals: ReceiptTotals,
        payments: [SalePayment],
        cashRounding: Int64, change: Int64, shiftId: String? = nil, points: SalePoints? = nil,
        leases: [LeaseUse] = []
    ) {
        self.mode = mode
        self.madeAt = madeAt
        self.timeZone = timeZone
        self.currency = currency
        self.cashierId = cashierId
        self.approverId = approverId
        self.memberId = memberId
        self.memberName = memberName
        self.coupons = coupons
        self.lines = lines
        self.totals = totals
        self.payments = payments
        self.cashRounding = cashRounding
        self.change = change
        self.shiftId = shiftId
        self.points = points
        self.leases = leases
    }
}

/// One line of a sale, with the article's name and codes at that moment.
package struct SaleLine: Hashable, Sendable {
    /// The article's code in the catalogue.
    package let sku: String
    /// The barcode that was scanned.
    package let barcode: String
    /// For the receipt, as imported at the hub.
    package let name: String
    /// What is taken off in it is the cashier's discount, ``offers``, ``pointsValue`` and
    /// ``labelRounding`` together.
    package let price: PricedLine
    /// What offers take off, in order.
    package let offers: [Reductions.Part]
    /// The catalogue's price per unit where the cashier entered another one; nil: the price is the
    /// catalogue's.
    package let listPrice: Int64?
    /// Why the cashier took something off, as typed; nil: no reason was given.
    package let discountReason: String?
    /// Whether the line moves a counted stock.
    package let isCounted: Bool
    /// What an article was sold as that the catalogue did not have; nil: it had the article.
    package let department: String?
    /// The part of the line's discount that points pay, minor units.
    package let pointsValue: Int64
    /// The part of the line's discount that keeps the price of a label, minor units; see ``LabelRounding``.
    package let labelRounding: Int64

    /// Makes a line. Without `offers`, `pointsValue` and `labelRounding` nothing but the cashier's discount
    /// is taken off; nil as `listPrice`: no override, nil as `department`: an article of the catalogue.
    package init(
        sku: String, barcode: String, name: String, price: PricedLine,
        offers: [Reductions.Part] = [], listPrice: Int64? = nil, discountReason: String?, isCounted: Bool,
        department: String? = nil, pointsValue: Int64 = 0, labelRounding: Int64 = 0
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.price = price
        self.offers = offers
        self.listPrice = listPrice
        self.discountReason = discountReason
        self.isCounted = isCounted
        self.department = department
        self.pointsValue = pointsValue
        self.labelRounding = labelRounding
    }

    /// Minor units that the cashier took off.
    package var ownDiscount: Int64 {
        price.discount - pointsValue - labelRounding - offers.reduce(0) { $0 + $1.amount }
    }

    /// What the goods cost before anything was taken off: of a label its price.
    package var gross: Int64 { price.gross - labelRounding }
}

package struct SalePayment: Hashable, Sendable {
    /// A tender of the store.
    package let method: Settlement.Method
    /// Minor units; of cash what was tendered, change still in it.
    package let amount: Int64
    /// The authorisation that pays it; nil for what needs none.
    package let card: CardApproval?
    /// What else is to be said of it; empty by default.
    package var details: PaymentDetails

    package init(
        method: Settlement.Method, amount: Int64, card: CardApproval? = nil,
        details: PaymentDetails = PaymentDetails()
    ) {
        self.method = method
        self.amount = amount
        self.card = card
        self.details = details
    }
}

/// A card authorisation that the payment service granted.
package struct CardApproval: Hashable, Sendable {
    /// The authorisation's idempotency key, a ULID.
    package let authorizationKey: String
    /// What is printed on the receipt; empty when the service gave none.
    package let approvalCode: String
    /// Whether a simulator approved it, so that no money moved.
    package let isSimulated: Bool

    /// Makes an approval; without `isSimulated` a real service granted it.
    package init(authorizationKey: String, approvalCode: String, isSimulated: Bool = false) {
        self.authorizationKey = authorizationKey
        self.approvalCode = approvalCode
        self.isSimulated = isSimulated
    }
}

extension SalePayment {
    /// Whether no money moved: a simulator approved it.
    package var isSimulated: Bool {
        card?.isSimulated == true || details.machine?.approvalCode.hasPrefix("SIMULATED") == true
    }

    /// What it is, whatever its name.
    package var kind: TenderKind {
        details.kind ?? TenderKind(rawValue: method.name) ?? (card == nil ? .voucher : .card)
    }
}

extension SaleLine {
    func paid(byPoints amount: Int64) throws(PricingError) -> SaleLine {
        SaleLine(
            sku: sku, barcode: barcode, name: name, price: try price.reduced(by: amount), offers: offers,
            listPrice: listPrice, discountReason: discountReason, isCounted: isCounted,
            department: department, pointsValue: pointsValue + amount, labelRounding: labelRounding)
    }

    /// The line with another price, which `offers` made.
    func priced(_ price: PricedLine, offers: [Reductions.Part]) -> SaleLine {
        SaleLine(
            sku: sku, barcode: barcode, name: name, price: price, offers: offers,
            listPrice: listPrice, discountReason: discountReason, isCounted: isCounted,
            department: department, pointsValue: pointsValue, labelRounding: labelRounding)
    }
}

extension PricedLine {
    /// The line with `amount` more taken off.
    func reduced(by amount: Int64) throws(PricingError) -> PricedLine {
        try PricedLine(
            quantityMilli: quantityMilli, unitPrice: unitPrice, discount: discount + amount,
            taxBasisPoints: taxBasisPoints)
    }
}
