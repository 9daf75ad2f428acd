package import HubProtocol

/// `POST /v1/sales`: sells a basket. Also one line of `pos sell --stdin`.
package struct SellCall: AgentCall, Hashable {
    /// One way to pay.
    package struct Tender: Hashable, Sendable {
        /// A tender of the store.
        package let method: String
        /// Minor units; nil: what is still due.
        package let amountMinor: Int64?
        /// The number of a voucher; nil: none.
        package let reference: String?

        /// A tender; without `amountMinor`, in one payment of a sale at most, it pays the rest.
        package init(method: String, amountMinor: Int64? = nil, reference: String? = nil) {
            (self.method, self.amountMinor, self.reference) = (method, amountMinor, reference)
        }

        /// The refusal of a card number, which it does not repeat.
        package static let cardNumberRefused = RequestRefusal(
            kind: .cardNumber,
            message:
                "a payment contains what looks like a card number, which is never entered here: use the card "
                + "machine; nothing was sold and nothing of it was kept")
    }

    /// Goods that come back for it: their worth pays a part of the sale.
    package struct Returns: Hashable, Sendable {
        /// Where they came from.
        package let origin: RefundOrderCall.Origin
        /// Empty: all that is left of the sale that they came from.
        package let lines: [RefundOrderCall.Line]
        /// Free text for the journal, at most 200 bytes; nil: none was given.
        package let reason: String?

        /// Goods of `origin`; without a reason none is kept.
        package init(of origin: RefundOrderCall.Origin, lines: [RefundOrderCall.Line], reason: String? = nil)
        {
            (self.origin, self.lines, self.reason) = (origin, lines, reason)
        }
    }

    /// The sale's idempotency key, a ULID; nil: the agent makes one.
    package var key: String?
    /// 1 to 500 lines; without any the agent refuses the sale with `no_lines`.
    package var lines: [EnteredLine]
    /// Nil or empty: exact cash.
    package var payments: [Tender]?
    /// A member's id or telephone number, as typed; nil: no member.
    package var memberId: String?
    /// Codes as typed, at most 50; one that takes nothing off refuses the sale with `coupon_refused`.
    package var coupons: [String]
    /// Who sells, and who approves a price, discount or card that the cashier's role does not allow.
    package var person: AgentPerson
    /// The total that the cashier has seen; another one is refused. Nil: not compared.
    package var quotedTotalMinor: Int64?
    /// Points of the member that pay a part of the sale; nil: none.
    package var points: Int64?
    /// The cashier confirmed that the clocks of till and hub differ.
    package var isClockConfirmed: Bool
    /// The cashier confirmed that a voucher which paid another sale has money left.
    package var isVoucherConfirmed = false
    /// Nil: nothing comes back.
    package var returns: Returns?

    /// A sale for exact cash by whoever is signed in, unless the arguments after `lines` differ.
    package init(
        key: String? = nil, lines: [EnteredLine], payments: [Tender]? = nil, memberId: String? = nil,
        coupons: [String] = [], person: AgentPerson = AgentPerson(), quotedTotalMinor: Int64? = nil,
        isClockConfirmed: Bool = false
    ) {
        self.key = key
        self.lines = lines
        self.payments = payments
        self.memberId = memberId
        self.coupons = coupons
        self.person = person
        self.quotedTotalMinor = quotedTotalMinor
        self.isClockConfirmed = isClockConfirmed
    }

    /// The recorded sale with its receipt.
    package typealias Response = SaleResponse

    /// `POST /v1/sales`; members that are nil are left out.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.sales, body: body) }

    var body: JSONValue {
        var members: JSONObject = [
            "lines": .array(lines.map(\.body)), "coupons": coupons.json,
        ]
        members["key"] = key.map(JSONValue.string)
        members["memberId"] = memberId.map(JSONValue.string)
        members["payments"] = payments.map { .array($0.map(\.json)) }
        members["quotedTotalMinor"] = quotedTotalMinor.map(JSONValue.integer)
        members["points"] = points.map(JSONValue.integer)
        if isClockConfirmed { members["clockConfirmed"] = true }
        if isVoucherConfirmed { members["voucherConfirmed"] = true }
        members["returns"] = returns?.json
        return .object(person.added(to: members))
    }

    /// Reads the body of a request, or a line of `pos sell --stdin`.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let body = body ?? .null
        let members = RequestMembers(body, of: .sale)
        try members.refuseUnknown(Self.known)
        key = try members.text("key")
        guard let listed = try members.list("lines") else { throw members.malformed("lines", "an array") }
        var lines: [EnteredLine] = []
        for (index, line) in listed.enumerated() { lines.append(try EnteredLine(line, at: index)) }
        self.lines = lines
        var payments: [Tender] = []
        for (index, payment) in (try members.list("payments") ?? []).enumerated() {
            payments.append(try Tender(payment, at: index))
        }
        self.payments = payments
        person = try AgentPerson(members)
        memberId = try members.text("memberId")
        coupons = try members.texts("coupons")
        quotedTotalMinor = try members.integer("quotedTotalMinor")
        points = try members.integer("points")
        isClockConfirmed = body["clockConfirmed"]?.bool == true
        isVoucherConfirmed = body["voucherConfirmed"]?.bool == true
        returns = try body["returns"].map { json throws(RequestRefusal) in try Returns(json) }
    }

    /// The refusal of a ``key`` that is no ULID.
    package static func malformedKey(_ key: String) -> RequestRefusal {
        RequestMembers([:], of: .sale).malformed("key", "a ULID, 26 characters, and not \"\(key)\"")
    }

    private static let known = AgentPerson.names.union([
        "key", "lines", "payments", "memberId", "coupons", "quotedTotalMinor", "clockConfirmed",
        "voucherConfirmed", "returns", "points",
    ])
}

extension EnteredLine {
    private static let known: Set = [
        "barcode", "quantityMilli", "unitPriceMinor", "discountMinor", "discountReason",
        "department", "taxBasisPoints",
    ]

    fileprivate init(_ json: JSONValue, at index: Int) throws(RequestRefusal) {
        let members = RequestMembers(json, path: "lines[\(index)].", of: .sale)
        try members.refuseUnknown(Self.known)
        guard let barcode = try members.text("barcode") else {
            throw members.malformed("barcode", "a string")
        }
        self.init(barcode: barcode, quantityMilli: try members.integer("quantityMilli"))
        unitPriceMinor = try members.integer("unitPriceMinor")
        discountMinor = try members.integer("discountMinor")
        discountReason = try members.text("discountReason")
        department = try members.text("department")
        taxBasisPoints = try members.integer("taxBasisPoints")
        if department == nil { taxBasisPoints = nil }
    }

    /// Without what was not entered.
    fileprivate var body: JSONValue {
        var members: JSONObject = ["barcode": .string(barcode)]
        members["quantityMilli"] = quantityMilli.map(JSONValue.integer)
        members["unitPriceMinor"] = unitPriceMinor.map(JSONValue.integer)
        members["discountMinor"] = discountMinor.map(JSONValue.integer)
        members["discountReason"] = discountReason.map(JSONValue.string)
        members["department"] = department.map(JSONValue.string)
        members["taxBasisPoints"] = taxBasisPoints.map(JSONValue.integer)
        return .object(members)
    }
}

extension SellCall.Tender {
    fileprivate init(_ json: JSONValue, at index: Int) throws(RequestRefusal) {
        let members = RequestMembers(json, path: "payments[\(index)].", of: .sale)
        try members.refuseUnknown(["method", "amountMinor", "reference"])
        guard let method = try members.text("method") else {
            throw members.malformed("method", "a tender of the store, as cash or card")
        }
        self.init(
            method: method, amountMinor: try members.integer("amountMinor"),
            reference: try members.text("reference"))
    }

    fileprivate var json: JSONValue {
        var members: JSONObject = ["method": .string(method)]
        members["amountMinor"] = amountMinor.map(JSONValue.integer)
        members["reference"] = reference.map(JSONValue.string)
        return .object(members)
    }
}

/// `POST /v1/quotes`: what a basket comes to. Nothing is sold.
package struct QuoteCall: AgentCall {
    /// The priced basket.
    package typealias Response = QuoteResponse

    private let basket: SellCall

    /// - Parameter basket: without payments and without a person, which a quote does not need.
    package init(_ basket: SellCall) {
        self.basket = basket
    }

    /// `POST /v1/quotes`, with the body of a sale.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.quotes, body: basket.body) }
}

/// `POST /v1/sales/give-up`: ends the wait of a sale for its card.
package struct GiveUpCall: AgentCall {
    /// The sale's key, a ULID.
    package let key: String

    /// A call for the sale of `key`, which the agent requires to be a ULID.
    package init(key: String) {
        self.key = key
    }

    /// Reads the body of a request.
    ///
    /// - Throws: ``malformed`` without a string `key`.
    package init(body: JSONValue?) throws(RequestRefusal) {
        guard let key = body?["key"]?.string else { throw Self.malformed }
        self.key = key
    }

    /// The refusal of a key that is no ULID.
    package static var malformed: RequestRefusal { .malformed("key", "the ULID of a sale") }

    /// `POST /v1/sales/give-up`; a sale that is not in progress is left as it is.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.giveUp, body: ["key": .string(key)])
    }

    /// The key of the sale.
    package struct Response: MemberDocument {
        /// The ULID of the request.
        package var key = ""

        /// A response that repeats the `key` of its request.
        package init(key: String) {
            self.key = key
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("key", &key)
        }
    }
}

/// `GET /v1/sales/unseen`, and `POST /v1/sales/seen` with an order's id: the card sales whose response nobody
/// has seen, the newest state of the list.
package struct UnseenSalesCall: AgentCall {
    /// The order that was seen now; nil: only the list is read.
    package let seenOrderId: String?

    /// A call that removes `seenOrderId` from the list, or by default reads the list alone.
    package init(seenOrderId: String? = nil) {
        self.seenOrderId = seenOrderId
    }

    /// Reads the body of `POST /v1/sales/seen`. A request without an id only reads the list.
    package init(body: JSONValue?) {
        seenOrderId = body?["orderId"]?.string
    }

    /// `GET` without ``seenOrderId``; with one `POST /v1/sales/seen`.
    package var request: AgentRequest {
        guard let seenOrderId else { return AgentRequest("GET", AgentRoutes.unseenSales) }
        return AgentRequest("POST", AgentRoutes.seenSales, body: ["orderId": .string(seenOrderId)])
    }

    /// The list after the call.
    package struct Response: MemberDocument {
        /// Empty: somebody has seen every card sale.
        package var sales: [Sale] = []

        /// A list of the card sales that nobody has seen.
        package init(sales: [Sale]) {
            self.sales = sales
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("sales", &sales)
        }
    }

    /// A sale in short.
    package struct Sale: MemberDocument {
        /// A ULID; ``seenOrderId`` of the next call.
        package var orderId = ""
        /// `<store>-<terminal>-<business day>-<counter>`, as the receipt has it.
        package var orderNumber = ""
        /// What the sale cost, tax included.
        package var total = MoneyAmount()
        /// RFC 3339.
        package var madeAt = ""

        /// A sale; `madeAt` is RFC 3339.
        package init(orderId: String, orderNumber: String, total: MoneyAmount, madeAt: String) {
            (self.orderId, self.orderNumber, self.total, self.madeAt) = (orderId, orderNumber, total, madeAt)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("orderId", &orderId)
            try m("orderNumber", &orderNumber)
            try m("total", &total)
            try m("madeAt", &madeAt)
        }
    }
}
