public import HubProtocol

/// A finished sale: the members that `pos sell --json` and `pos orders` have in common.
public struct SaleRecord: Hashable, Sendable {
    /// The idempotency key, a ULID.
    public let key: String
    /// A ULID.
    public let orderId: String
    public let orderNumber: String
    /// `online` or `offline`, as the sale began.
    public let mode: String
    public let total: MoneyAmount
    public let tax: MoneyAmount
    public let paid: [Payment]
    /// Added to the total by rounding the cash part to the smallest coin.
    public let cashRounding: MoneyAmount
    public let change: MoneyAmount
    public let lines: [SoldLine]
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    public let shortCode: String?

    public init(
        key: String, orderId: String, orderNumber: String, mode: String, total: MoneyAmount, tax: MoneyAmount,
        paid: [Payment], cashRounding: MoneyAmount, change: MoneyAmount, lines: [SoldLine],
        shortCode: String?
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
    }

    init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            key: try members.string("key"), orderId: try members.string("orderId"),
            orderNumber: try members.string("orderNumber"), mode: try members.string("mode"),
            total: try members.document("total"), tax: try members.document("tax"),
            paid: try members.documents("paid"), cashRounding: try members.document("cashRounding"),
            change: try members.document("change"), lines: try members.documents("lines"),
            shortCode: try members.nullable("shortCode", members.string))
    }

    var members: JSONObject {
        [
            "key": .string(key), "orderId": .string(orderId), "orderNumber": .string(orderNumber),
            "mode": .string(mode), "total": total.json, "tax": tax.json, "paid": JSONValue(documents: paid),
            "cashRounding": cashRounding.json, "change": change.json, "lines": JSONValue(documents: lines),
            "shortCode": JSONValue(shortCode),
        ]
    }

    /// One payment of a sale.
    public struct Payment: AgentDocument {
        /// `cash` or `card`.
        public let method: String
        /// Of cash what was tendered, change included.
        public let amount: MoneyAmount
        /// Of a card: what the payment service printed; empty when it gave none.
        public let approvalCode: String?
        /// Whether a simulator approved the card, so that no money moved.
        public let isSimulated: Bool

        public init(method: String, amount: MoneyAmount, approvalCode: String?, isSimulated: Bool) {
            self.method = method
            self.amount = amount
            self.approvalCode = approvalCode
            self.isSimulated = isSimulated
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                method: try members.string("method"), amount: try MoneyAmount(members),
                approvalCode: try members.optional("approvalCode", members.string),
                isSimulated: try members.optional("simulated", members.bool) ?? false)
        }

        public var json: JSONValue {
            var members: JSONObject = amount.json.object ?? [:]
            members["method"] = .string(method)
            members["approvalCode"] = approvalCode.map(JSONValue.string)
            if isSimulated { members["simulated"] = true }
            return .object(members)
        }
    }
}

/// A line of a sale or of a quote, as it was priced.
public struct SoldLine: AgentDocument {
    public let sku: String
    public let barcode: String
    public let name: String
    /// Thousandths of a unit.
    public let quantityMilli: Int64
    /// Minor units for a whole unit.
    public let unitPrice: Int64
    /// Minor units off the line: the cashier's discount and ``offers`` together.
    public let discount: Int64
    /// Minor units.
    public let total: Int64
    /// Hundredths of a percent.
    public let taxBasisPoints: Int64
    public let offers: [AppliedOffer]

    public init(
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

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            sku: try members.string("sku"), barcode: try members.string("barcode"),
            name: try members.string("name"), quantityMilli: try members.integer("quantityMilli"),
            unitPrice: try members.integer("unitPrice"), discount: try members.integer("discount"),
            total: try members.integer("total"), taxBasisPoints: try members.integer("taxBasisPoints"),
            offers: try members.optional("offers", members.documents) ?? [])
    }

    public var json: JSONValue {
        var members: JSONObject = [
            "sku": .string(sku), "barcode": .string(barcode), "name": .string(name),
            "quantityMilli": .integer(quantityMilli), "unitPrice": .integer(unitPrice),
            "discount": .integer(discount), "total": .integer(total),
            "taxBasisPoints": .integer(taxBasisPoints),
        ]
        if !offers.isEmpty { members["offers"] = JSONValue(documents: offers) }
        return .object(members)
    }
}

/// What one promotion takes off.
public struct AppliedOffer: AgentDocument {
    public let promotionId: String
    public let name: String
    /// The coupon that gave it; nil: the promotion by itself.
    public let coupon: String?
    /// Minor units.
    public let amount: Int64

    public init(promotionId: String, name: String, coupon: String?, amount: Int64) {
        (self.promotionId, self.name, self.coupon, self.amount) = (promotionId, name, coupon, amount)
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            promotionId: try members.string("promotionId"), name: try members.string("name"),
            coupon: try members.nullable("coupon", members.string), amount: try members.integer("amount"))
    }

    public var json: JSONValue {
        [
            "promotionId": .string(promotionId), "name": .string(name), "coupon": JSONValue(coupon),
            "amount": .integer(amount),
        ]
    }
}

/// The response to a sale: the document of `pos sell --json`.
public struct SaleResponse: AgentDocument {
    public let sale: SaleRecord
    /// The receipt as text, 40 columns.
    public let receipt: String
    /// `acknowledged` or `pending`.
    public let sync: String
    /// Microseconds of the commit alone; the document has milliseconds with three decimals.
    public let durableMicroseconds: Int64
    /// Microseconds from the request's arrival to the response; in the document as ``durableMicroseconds``.
    public let elapsedMicroseconds: Int64

    public init(
        sale: SaleRecord, receipt: String, sync: String, durableMicroseconds: Int64,
        elapsedMicroseconds: Int64
    ) {
        self.sale = sale
        self.receipt = receipt
        self.sync = sync
        self.durableMicroseconds = durableMicroseconds
        self.elapsedMicroseconds = elapsedMicroseconds
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            sale: try SaleRecord(members), receipt: try members.string("receipt"),
            sync: try members.string("sync"),
            durableMicroseconds: try ExactMilliseconds(members, "durableMs").microseconds,
            elapsedMicroseconds: try ExactMilliseconds(members, "elapsedMs").microseconds)
    }

    public var durableMilliseconds: Double { Double(durableMicroseconds) / 1000 }
    public var elapsedMilliseconds: Double { Double(elapsedMicroseconds) / 1000 }

    public var json: JSONValue {
        var members = sale.members
        members["receipt"] = .string(receipt)
        members["sync"] = .string(sync)
        members["durableMs"] = ExactMilliseconds(microseconds: durableMicroseconds).json
        members["elapsedMs"] = ExactMilliseconds(microseconds: elapsedMicroseconds).json
        return .object(members)
    }
}

/// The response to a quote: what a basket comes to.
public struct QuoteResponse: AgentDocument {
    /// The member that the request names.
    public struct Member: AgentDocument {
        public let memberId: String
        public let name: String?
        /// Whether the hub or the till's own copy has the member; otherwise the id is noted as typed.
        public let isKnown: Bool

        public init(memberId: String, name: String?, isKnown: Bool) {
            (self.memberId, self.name, self.isKnown) = (memberId, name, isKnown)
        }

        public init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                memberId: try members.string("memberId"),
                name: try members.nullable("name", members.string), isKnown: try members.bool("known"))
        }

        public var json: JSONValue {
            ["memberId": .string(memberId), "name": JSONValue(name), "known": .bool(isKnown)]
        }
    }

    public let lines: [SoldLine]
    public let total: MoneyAmount
    public let tax: MoneyAmount
    /// Added to the total when all of it is paid in cash.
    public let cashRounding: MoneyAmount
    /// Nil: the request names no member.
    public let member: Member?

    public init(
        lines: [SoldLine], total: MoneyAmount, tax: MoneyAmount, cashRounding: MoneyAmount,
        member: Member?
    ) {
        self.lines = lines
        self.total = total
        self.tax = tax
        self.cashRounding = cashRounding
        self.member = member
    }

    public init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            lines: try members.documents("lines"), total: try members.document("total"),
            tax: try members.document("tax"), cashRounding: try members.document("cashRounding"),
            member: try members.nullable("member", members.document))
    }

    public var json: JSONValue {
        [
            "lines": JSONValue(documents: lines), "offers": JSONValue(documents: lines.flatMap(\.offers)),
            "total": total.json, "tax": tax.json, "cashRounding": cashRounding.json,
            "member": member?.json ?? .null,
            "messages": member?.isKnown == false ? ["member_unknown"] : [], "validUntil": .null,
        ]
    }
}
