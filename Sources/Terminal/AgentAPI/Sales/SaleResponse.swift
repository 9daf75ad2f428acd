package import HubProtocol

/// A finished sale: the members that `pos sell --json` and `pos orders` have in common.
package struct SaleRecord: Hashable, Sendable {
    /// The idempotency key, a ULID.
    package let key: String
    /// A ULID.
    package let orderId: String
    /// `<store>-<terminal>-<business day>-<counter>`, unique without a server.
    package let orderNumber: String
    /// `online` or `offline`, as the sale began.
    package let mode: String
    /// What is due after all discounts, tax included, before rounding.
    package let total: MoneyAmount
    /// The part of ``total`` that is tax.
    package let tax: MoneyAmount
    /// In the order of the tenders; a tender of 0 is left out.
    package let paid: [Payment]
    /// Added to the total by rounding the cash part to the smallest coin.
    package let cashRounding: MoneyAmount
    /// The cash that goes back; an amount of 0 where there is none.
    package let change: MoneyAmount
    /// In the order of the request.
    package let lines: [SoldLine]
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    package let shortCode: String?
    /// What the QR code of the receipt carries, `HF1.…`: the sale in short, signed by this terminal's device
    /// key; nil in a list, and where there is no key.
    package let receiptCode: String?
    /// What the sale did to the member's points; nil: nothing. `value` is minor units.
    package var points: SalePoints?

    /// A sale; every amount has the currency of `total`, and a nil `shortCode` is one without a journal.
    package init(
        key: String, orderId: String, orderNumber: String, mode: String, total: MoneyAmount, tax: MoneyAmount,
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

    init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            key: try members.string("key"), orderId: try members.string("orderId"),
            orderNumber: try members.string("orderNumber"), mode: try members.string("mode"),
            total: try members.document("total"), tax: try members.document("tax"),
            paid: try members.documents("paid"), cashRounding: try members.document("cashRounding"),
            change: try members.document("change"), lines: try members.documents("lines"),
            shortCode: try members.nullable("shortCode", members.string),
            receiptCode: try members.optional("receiptCode", members.string))
        points = try members.points(SalePoints.init(json:))
    }

    var members: JSONObject {
        var members: JSONObject = [
            "key": .string(key), "orderId": .string(orderId), "orderNumber": .string(orderNumber),
            "mode": .string(mode), "total": total.json, "tax": tax.json, "paid": JSONValue(documents: paid),
            "cashRounding": cashRounding.json, "change": change.json, "lines": JSONValue(documents: lines),
            "shortCode": JSONValue(shortCode),
        ]
        members["receiptCode"] = receiptCode.map(JSONValue.string)
        members["points"] = points?.json
        return members
    }

    package struct Payment: AgentDocument {
        /// A tender of the store.
        package let method: String
        /// Of cash what was tendered, change included.
        package let amount: MoneyAmount
        /// Of a card: what the payment service printed; empty when it gave none.
        package let approvalCode: String?
        /// Whether a simulator approved the card, so that no money moved.
        package let isSimulated: Bool
        /// `cash`, `card`, `wallet` or `voucher`; nil from an agent of an earlier version.
        package let kind: String?
        /// Where the money is, when it is not simply taken: `storedOffline` or `refunded`.
        package let state: String?
        /// The number of a voucher.
        package let reference: String?

        /// A payment; `approvalCode` is nil for cash. What is nil is left out of the document.
        package init(
            method: String, amount: MoneyAmount, approvalCode: String?, isSimulated: Bool,
            kind: String? = nil, state: String? = nil, reference: String? = nil
        ) {
            self.method = method
            self.amount = amount
            self.approvalCode = approvalCode
            self.isSimulated = isSimulated
            self.kind = kind
            self.state = state
            self.reference = reference
        }

        /// Reads the amount's members beside `method`; a missing `simulated` is false.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                method: try members.string("method"), amount: try MoneyAmount(members),
                approvalCode: try members.optional("approvalCode", members.string),
                isSimulated: try members.optional("simulated", members.bool) ?? false,
                kind: try members.optional("kind", members.string),
                state: try members.optional("state", members.string),
                reference: try members.optional("reference", members.string))
        }

        /// The amount's members with `method`; `simulated` is present only where it is true.
        package var json: JSONValue {
            var members: JSONObject = amount.json.object ?? [:]
            members["method"] = .string(method)
            members["approvalCode"] = approvalCode.map(JSONValue.string)
            if isSimulated { members["simulated"] = true }
            members["kind"] = kind.map(JSONValue.string)
            members["state"] = state.map(JSONValue.string)
            members["reference"] = reference.map(JSONValue.string)
            return .object(members)
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
package struct SaleResponse: AgentDocument {
    /// The sale as it is on disk; the same key again returns the first one.
    package let sale: SaleRecord
    /// The receipt as text, 40 columns.
    package let receipt: String
    /// `acknowledged` or `pending`.
    package let sync: String
    /// Microseconds of the commit alone; the document has milliseconds with three decimals.
    package let durableMicroseconds: Int64
    /// Microseconds from the request's arrival to the response; in the document as ``durableMicroseconds``.
    package let elapsedMicroseconds: Int64
    /// What came back for it; nil: nothing.
    package let exchange: Exchange?
    /// RFC 3339: an earlier request of the same key made the sale then; nil: this one made it.
    package var repeatedOf: String?

    /// What came back for a sale.
    package struct Exchange: Hashable, Sendable {
        /// The refund, recorded together with the sale.
        package let refund: RefundRecord
        /// Its slip as text, 40 columns.
        package let receipt: String
        /// What the customer pays beside it; below 0 what the customer gets.
        package let due: MoneyAmount

        /// What came back; `due` is in the currency of the sale.
        package init(refund: RefundRecord, receipt: String, due: MoneyAmount) {
            (self.refund, self.receipt, self.due) = (refund, receipt, due)
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

    /// Reads `durableMs` and `elapsedMs` as numbers of milliseconds, with fractions or without.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            sale: try SaleRecord(members), receipt: try members.string("receipt"),
            sync: try members.string("sync"),
            durableMicroseconds: try ExactMilliseconds(members, "durableMs").microseconds,
            elapsedMicroseconds: try ExactMilliseconds(members, "elapsedMs").microseconds,
            exchange: try members.optional("refund") { (name: String) throws(ShapeError) in
                Exchange(
                    refund: try members.document(name), receipt: try members.string("refundReceipt"),
                    due: try members.document("due"))
            })
        repeatedOf = try members.optional("soldAt", members.string)
    }

    /// ``durableMicroseconds`` as milliseconds, with fractions.
    package var durableMilliseconds: Double { Double(durableMicroseconds) / 1000 }
    /// ``elapsedMicroseconds`` as milliseconds, with fractions.
    package var elapsedMilliseconds: Double { Double(elapsedMicroseconds) / 1000 }

    /// The sale's members with `receipt`, `sync`, `durableMs` and `elapsedMs`, in an exchange with `refund`,
    /// `refundReceipt` and `due` too, and of a repeated request with `repeated` and `soldAt`.
    package var json: JSONValue {
        var members = sale.members
        members["receipt"] = .string(receipt)
        members["sync"] = .string(sync)
        members["durableMs"] = ExactMilliseconds(microseconds: durableMicroseconds).json
        members["elapsedMs"] = ExactMilliseconds(microseconds: elapsedMicroseconds).json
        if let exchange {
            members["refund"] = exchange.refund.json
            members["refundReceipt"] = .string(exchange.receipt)
            members["due"] = exchange.due.json
        }
        if let repeatedOf {
            members["repeated"] = true
            members["soldAt"] = .string(repeatedOf)
        }
        return .object(members)
    }
}

/// The response to a quote: what a basket comes to.
package struct QuoteResponse: AgentDocument {
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
    package let lines: [SoldLine]
    /// What is due, tax included, before rounding.
    package let total: MoneyAmount
    /// The part of ``total`` that is tax.
    package let tax: MoneyAmount
    /// Added to the total when all of it is paid in cash.
    package let cashRounding: MoneyAmount
    /// Nil: the request names no member.
    package let member: Member?
    /// What the cashier should know before the customer pays: `member_unknown`, `coupon_unchecked`,
    /// `price_changed`, `approval_required`, `clock_differs`, `shift_required`, `disk_full`; a later agent
    /// may have more words.
    package let messages: [String]
    /// RFC 3339, the moment at which an offer of these lines begins or ends; nil: none is known.
    package let validUntil: String?
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

    /// `messages` and `validUntil` may be missing, as from an agent of before; `offers` is not read.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            lines: try members.documents("lines"), total: try members.document("total"),
            tax: try members.document("tax"), cashRounding: try members.document("cashRounding"),
            member: try members.nullable("member", members.document),
            messages: try members.optional("messages", members.strings) ?? [],
            validUntil: try members.optional("validUntil", members.string))
        points = try members.points(SalePoints.init(json:))
    }

    /// Adds `offers` of all lines; `points` is left out where there are none.
    package var json: JSONValue {
        var members: JSONObject = [
            "lines": JSONValue(documents: lines), "offers": JSONValue(documents: lines.flatMap(\.offers)),
            "total": total.json, "tax": tax.json, "cashRounding": cashRounding.json,
            "member": member?.json ?? .null,
            "messages": JSONValue(strings: messages), "validUntil": JSONValue(validUntil),
        ]
        members["points"] = points?.json
        return .object(members)
    }
}

extension SalePoints {
    /// The member `points` of a sale and of a quote.
    var json: JSONValue {
        ["earned": .integer(earned), "spent": .integer(spent), "value": .integer(value)]
    }
}

extension ReturnedPoints {
    /// The member `points` of a refund.
    var json: JSONValue {
        ["earnedReturned": .integer(earnedReturned), "spentReturned": .integer(spentReturned)]
    }
}
