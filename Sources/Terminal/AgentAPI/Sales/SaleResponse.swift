package import HubProtocol
package import OfflineCore

/// A finished sale: the members that `pos sell --json` and `pos orders` have in common.
package struct SaleRecord: MemberDocument {
    /// The idempotency key, a ULID.
    package var key = ""
    /// A ULID.
    package var orderId = ""
    /// `<store>-<terminal>-<business day>-<counter>`, unique without a server.
    package var orderNumber = ""
    /// As the sale began.
    package var mode = Mode.online
    /// What is due after all discounts, tax included, before rounding.
    package var total = MoneyAmount()
    /// The part of ``total`` that is tax.
    package var tax = MoneyAmount()
    /// In the order of the tenders; a tender of 0 is left out.
    package var paid: [Payment] = []
    /// Added to the total by rounding the cash part to the smallest coin.
    package var cashRounding = MoneyAmount()
    /// The cash that goes back; an amount of 0 where there is none.
    package var change = MoneyAmount()
    /// In the order of the request.
    package var lines: [SoldLine] = []
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    package var shortCode: String?
    /// What the QR code of the receipt carries, `HF1.…`: the sale in short, signed by this terminal's device
    /// key; nil in a list, and where there is no key.
    package var receiptCode: String?
    /// What the sale did to the member's points; nil: nothing. `value` is minor units.
    package var points: SalePoints?

    /// A sale; every amount has the currency of `total`, and a nil `shortCode` is one without a journal.
    package init(
        key: String, orderId: String, orderNumber: String, mode: Mode, total: MoneyAmount, tax: MoneyAmount,
        paid: [Payment], cashRounding: MoneyAmount, change: MoneyAmount, lines: [SoldLine],
        shortCode: String?, receiptCode: String? = nil
    ) {
        self.key = key
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.mode = mode
        self.total = total
        self.tax = tax
        self.paid = paid
        self.cashRounding = cashRounding
        self.change = change
        self.lines = lines
        self.shortCode = shortCode
        self.receiptCode = receiptCode
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("key", &key)
        try m("orderId", &orderId)
        try m("orderNumber", &orderNumber)
        try m("mode", &mode)
        try m("total", &total)
        try m("tax", &tax)
        try m("paid", &paid)
        try m("cashRounding", &cashRounding)
        try m("change", &change)
        try m("lines", &lines)
        try m.nullable("shortCode", &shortCode)
        try m.optional("receiptCode", &receiptCode)
        try m.optional("points", &points)
    }

    package struct Payment: MemberDocument {
        /// A tender of the store.
        package var method = ""
        /// Of cash what was tendered, change included.
        package var amount = MoneyAmount()
        /// Of a card: what the payment service printed; empty when it gave none.
        package var approvalCode: String?
        /// Whether a simulator approved the card, so that no money moved.
        package var isSimulated = false
        /// `cash`, `card`, `wallet` or `voucher`.
        package var kind = ""

        /// Whether it is in the drawer, whatever the tender is called.
        package var isCash: Bool { kind == "cash" }
        /// Where the money is, when it is not simply taken: `storedOffline` or `refunded`.
        package var state: String?
        /// The number of a voucher.
        package var reference: String?
        /// What the terminal's own card machine returned, as the hub has it; nil: none took it.
        package var machine: JSONValue?

        /// A payment; `approvalCode` is nil for cash. What is nil is left out of the document.
        package init(
            method: String, amount: MoneyAmount, approvalCode: String?, isSimulated: Bool,
            kind: String, state: String? = nil, reference: String? = nil
        ) {
            self.method = method
            self.amount = amount
            self.approvalCode = approvalCode
            self.isSimulated = isSimulated
            self.kind = kind
            self.state = state
            self.reference = reference
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("method", &method)
            try amount.members(&m)
            try m.optional("approvalCode", &approvalCode)
            try m.optional("simulated", &isSimulated, absent: false)
            try m("kind", &kind)
            try m.optional("state", &state)
            try m.optional("reference", &reference)
            try m.optional("machine", &machine)
        }
    }
}

/// A line of a sale or of a quote, as it was priced.
package struct SoldLine: MemberDocument {
    /// The article's id in the catalogue.
    package var sku = ""
    /// The barcode by which the catalogue has the article.
    package var barcode = ""
    /// The article's name at that moment.
    package var name = ""
    /// Thousandths of a unit.
    package var quantityMilli: Int64 = 0
    /// Minor units for a whole unit.
    package var unitPrice: Int64 = 0
    /// Minor units off the line: the cashier's discount, ``offers`` and ``pointsValue`` together.
    package var discount: Int64 = 0
    /// Minor units.
    package var total: Int64 = 0
    /// Hundredths of a percent.
    package var taxBasisPoints: Int64 = 0
    /// What promotions and coupons take off; empty: nothing.
    package var offers: [AppliedOffer] = []
    /// The part of ``discount`` that points pay; 0: none.
    package var pointsValue: Int64 = 0
    /// What quantity times price is above a label's price, beside ``discount``; 0: nothing.
    package var labelRounding: Int64 = 0

    /// A line; `discount` contains the amounts of `offers`, and `total` is after it.
    package init(
        sku: String, barcode: String, name: String, quantityMilli: Int64, unitPrice: Int64, discount: Int64,
        total: Int64, taxBasisPoints: Int64, offers: [AppliedOffer]
    ) {
        self.sku = sku
        self.barcode = barcode
        self.name = name
        self.quantityMilli = quantityMilli
        self.unitPrice = unitPrice
        self.discount = discount
        self.total = total
        self.taxBasisPoints = taxBasisPoints
        self.offers = offers
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("sku", &sku)
        try m("barcode", &barcode)
        try m("name", &name)
        try m("quantityMilli", &quantityMilli)
        try m("unitPrice", &unitPrice)
        try m("discount", &discount)
        try m("total", &total)
        try m("taxBasisPoints", &taxBasisPoints)
        try m.optional("offers", &offers, absent: [])
        try m.optional("pointsValue", &pointsValue, absent: 0)
        try m.optional("labelRounding", &labelRounding, absent: 0)
    }
}

/// What one promotion takes off.
package struct AppliedOffer: MemberDocument {
    /// The promotion's id in the hub's import.
    package var promotionId = ""
    /// The promotion's name in the hub's import, for people.
    package var name = ""
    /// The coupon that gave it; nil: the promotion by itself.
    package var coupon: String?
    /// Minor units.
    package var amount: Int64 = 0

    /// A part of a line's discount; `coupon` is nil where the promotion needs none.
    package init(promotionId: String, name: String, coupon: String?, amount: Int64) {
        (self.promotionId, self.name, self.coupon, self.amount) = (promotionId, name, coupon, amount)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("promotionId", &promotionId)
        try m("name", &name)
        try m.nullable("coupon", &coupon)
        try m("amount", &amount)
    }
}

/// The response to a sale: the document of `pos sell --json`.
package struct SaleResponse: MemberDocument {
    /// The sale as it is on disk; the same key again returns the first one.
    package var sale = SaleRecord()
    /// The receipt as text, 40 columns.
    package var receipt = ""
    /// `acknowledged` or `pending`.
    package var sync = ""
    /// Microseconds of the commit alone; the document has milliseconds with three decimals.
    package var durableMicroseconds: Int64 = 0
    /// Microseconds from the request's arrival to the response; in the document as ``durableMicroseconds``.
    package var elapsedMicroseconds: Int64 = 0
    /// What came back for it; nil: nothing.
    package var exchange: Exchange?
    /// RFC 3339: an earlier request of the same key made the sale then; nil: this one made it.
    package var repeatedOf: String?

    /// What came back for a sale.
    package struct Exchange: MemberDocument {
        /// The refund, recorded together with the sale.
        package var refund = RefundRecord()
        /// Its slip as text, 40 columns.
        package var receipt = ""
        /// What the customer pays beside it; below 0 what the customer gets.
        package var due = MoneyAmount()

        /// What came back; `due` is in the currency of the sale.
        package init(refund: RefundRecord, receipt: String, due: MoneyAmount) {
            (self.refund, self.receipt, self.due) = (refund, receipt, due)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("refund", &refund)
            try m("refundReceipt", &receipt)
            try m("due", &due)
        }
    }

    /// A response; both durations are microseconds. By default nothing came back.
    package init(
        sale: SaleRecord, receipt: String, sync: String, durableMicroseconds: Int64,
        elapsedMicroseconds: Int64, exchange: Exchange? = nil
    ) {
        self.exchange = exchange
        self.sale = sale
        self.receipt = receipt
        self.sync = sync
        self.durableMicroseconds = durableMicroseconds
        self.elapsedMicroseconds = elapsedMicroseconds
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try sale.members(&m)
        try m("receipt", &receipt)
        try m("sync", &sync)
        var durable = ExactMilliseconds(microseconds: durableMicroseconds)
        var elapsed = ExactMilliseconds(microseconds: elapsedMicroseconds)
        try m("durableMs", &durable)
        try m("elapsedMs", &elapsed)
        (durableMicroseconds, elapsedMicroseconds) = (durable.microseconds, elapsed.microseconds)
        try m.part("refund", &exchange)
        var isRepeated = repeatedOf != nil
        try m.optional("repeated", &isRepeated, absent: false)
        try m.optional("soldAt", &repeatedOf)
    }

    /// ``durableMicroseconds`` as milliseconds, with fractions.
    package var durableMilliseconds: Double { Double(durableMicroseconds) / 1000 }
    /// ``elapsedMicroseconds`` as milliseconds, with fractions.
    package var elapsedMilliseconds: Double { Double(elapsedMicroseconds) / 1000 }
}

/// The response to a quote: what a basket comes to.
package struct QuoteResponse: MemberDocument {
    /// The member that the request names.
    package struct Member: MemberDocument {
        /// The member's id; for an unknown member the text as it was typed.
        package var memberId = ""
        /// Nil for an unknown member, and where the terminal has no names.
        package var name: String?
        /// Whether the hub or the till's own copy has the member; otherwise the id is noted as typed.
        package var isKnown = false

        /// A member; `name` is nil for an unknown one.
        package init(memberId: String, name: String?, isKnown: Bool) {
            (self.memberId, self.name, self.isKnown) = (memberId, name, isKnown)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("memberId", &memberId)
            try m.nullable("name", &name)
            try m("known", &isKnown)
        }
    }

    /// In the order of the request, with discounts and offers taken off.
    package var lines: [SoldLine] = []
    /// What is due, tax included, before rounding.
    package var total = MoneyAmount()
    /// The part of ``total`` that is tax.
    package var tax = MoneyAmount()
    /// Added to the total when all of it is paid in cash.
    package var cashRounding = MoneyAmount()
    /// Nil: the request names no member.
    package var member: Member?
    /// What the cashier should know before the customer pays: `member_unknown`, `coupon_unchecked`,
    /// `price_changed`, `approval_required`, `clock_differs`, `shift_required`, `disk_full`; a later agent
    /// may have more words.
    package var messages: [String] = []
    /// RFC 3339, the moment at which an offer of these lines begins or ends; nil: none is known.
    package var validUntil: String?
    /// What the sale would do to the member's points; nil: nothing.
    package var points: SalePoints?

    /// A quote; `member` is nil where the request names none. Without messages and a moment by default.
    package init(
        lines: [SoldLine], total: MoneyAmount, tax: MoneyAmount, cashRounding: MoneyAmount,
        member: Member?, messages: [String] = [], validUntil: String? = nil
    ) {
        self.lines = lines
        self.total = total
        self.tax = tax
        self.cashRounding = cashRounding
        self.member = member
        self.messages = messages
        self.validUntil = validUntil
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("lines", &lines)
        // For readers other than the commands: those of all lines.
        var offers: [AppliedOffer]? = lines.flatMap(\.offers)
        try m.optional("offers", &offers)
        try m("total", &total)
        try m("tax", &tax)
        try m("cashRounding", &cashRounding)
        try m.nullable("member", &member)
        try m("messages", &messages)
        try m.nullable("validUntil", &validUntil)
        try m.optional("points", &points)
    }
}
