package import Base
package import HubProtocol

/// `POST /v1/carts`: keeps a cart for later, so that the next customer can be served.
package struct ParkCartCall: AgentCall {
    /// The cart as it is on disk.
    package typealias Response = CartRecord

    /// Who the cart is for, as people call them, at most 200 bytes; nil: no name.
    package let name: String?
    /// Lines, member, coupons and points; nothing else of it is kept.
    package let basket: SellCall

    /// A cart to park; its lines have to be in the catalogue.
    package init(name: String?, basket: SellCall) {
        (self.name, self.basket) = (name, basket)
    }

    /// Reads the body of a request: `name` beside the members of a sale.
    package init(body: JSONValue?) throws(RequestRefusal) {
        guard var members = body?.object else {
            throw RequestRefusal.malformed("the request", "an object")
        }
        let fields = RequestMembers(.object(members), of: .request)
        name = try fields.text("name")
        members["name"] = nil
        basket = try SellCall(body: .object(members))
    }

    /// `POST /v1/carts`; a nil ``name`` is left out.
    package var request: AgentRequest {
        var members = basket.body.object ?? [:]
        members["name"] = name.map(JSONValue.string)
        return AgentRequest("POST", AgentRoutes.carts, body: .object(members))
    }
}

/// `GET /v1/carts`: the parked carts.
package struct CartListCall: AgentCall {
    /// A call without arguments: the agent returns every cart.
    package init() {}

    /// `GET /v1/carts`, without query and body.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.carts) }

    /// The document of `pos cart list --json`.
    package struct Response: MemberDocument {
        /// The oldest first.
        package var carts: [CartRecord] = []

        package init(carts: [CartRecord]) {
            self.carts = carts
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("carts", &carts)
        }
    }
}

/// The calls below `/v1/carts/{id}`.
package struct CartCall: AgentCall {
    /// The cart; of a dropped one as it was.
    package typealias Response = CartRecord

    /// What happens to the cart.
    package enum Action: Hashable, Sendable {
        /// Nothing: it is shown.
        case show
        /// It is worked on again. It stays on disk until its sale is recorded, or it is parked or dropped.
        case resume
        /// As ``resume``, also where another window has it on its screen: by whoever may do that, or with an
        /// approver (`cartCopy`).
        case take(AgentPerson)
        /// It comes from the till of the store that has it, and is worked on where a front end requests it.
        case fetch
        /// As ``fetch``; where its till is silent, its lines, member and coupons are a new cart: by whoever
        /// may do that, or with an approver (`cartCopy`).
        case copy(AgentPerson)
        /// It is removed for good; the reason goes into the agent's log. What the customer handed over has to
        /// be back first.
        case drop(reason: String, isHandedBack: Bool = false)
    }

    /// The cart's ULID.
    package let id: String
    /// What happens to it.
    package let action: Action

    package init(id: String, _ action: Action) {
        (self.id, self.action) = (id, action)
    }

    /// Who takes a cart off another screen, in the body of a request to resume it; nil: nobody, so that such
    /// a cart is refused. Whoever names an approver means it.
    package static func taker(in body: JSONValue?) throws(RequestRefusal) -> AgentPerson? {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union([fromWindow]))
        let person = try AgentPerson(members)
        return body?[fromWindow]?.bool == true || person.approver != nil ? person : nil
    }

    /// Who copies a cart, in the body of that request.
    package static func copier(in body: JSONValue?) throws(RequestRefusal) -> AgentPerson {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names)
        return try AgentPerson(members)
    }

    private static let fromWindow = "fromWindow"

    /// The reason in the body of a request to drop a cart.
    ///
    /// - Throws: `malformed` without one.
    package static func reason(in body: JSONValue?) throws(RequestRefusal) -> String {
        guard let reason = body?["reason"]?.string, reason.contains(where: { !$0.isWhitespace }) else {
            throw RequestRefusal.malformed("reason", "a text that says why the cart is dropped")
        }
        return reason
    }

    /// Whether the body of a request to drop a cart says that the customer has back what was taken.
    package static func isHandedBack(in body: JSONValue?) -> Bool { body?["handedBack"]?.bool == true }

    /// `GET` shows; the others are a `POST` to `/resume`, `/take`, `/copy` or `/drop`.
    package var request: AgentRequest {
        func path(_ verb: String? = nil) -> String { AgentRoutes.one(of: AgentRoutes.carts, id, verb) }
        switch action {
        case .show: return AgentRequest("GET", path())
        case .resume: return AgentRequest("POST", path("resume"))
        case .take(let person):
            return AgentRequest(
                "POST", path("resume"), body: .object(person.added(to: [Self.fromWindow: true])))
        case .fetch: return AgentRequest("POST", path("take"))
        case .copy(let person):
            return AgentRequest("POST", path("copy"), body: .object(person.added(to: [:])))
        case .drop(let reason, let isHandedBack):
            var body: JSONObject = ["reason": .string(reason)]
            if isHandedBack { body["handedBack"] = true }
            return AgentRequest("POST", path("drop"), body: .object(body))
        }
    }
}

/// One cart that is not sold, with its lines.
package struct CartRecord: MemberDocument {
    /// An article in a parked cart.
    package struct Line: MemberDocument {
        /// As entered, always with its quantity.
        package var entry = EnteredLine()
        /// The article's id in the catalogue.
        package var sku = ""
        /// The article's name when the cart was parked.
        package var name = ""
        /// What the line came to when the cart was parked.
        package var total = MoneyAmount()

        package var barcode: String { entry.barcode }
        package var quantityMilli: Int64 { entry.quantityOrOne }

        package init(entry: EnteredLine, sku: String, name: String, total: MoneyAmount) {
            (self.entry, self.sku, self.name, self.total) = (entry, sku, name, total)
            self.entry.quantityMilli = entry.quantityOrOne
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            var quantity = quantityMilli
            try m("barcode", &entry.barcode)
            try m("sku", &sku)
            try m("name", &name)
            try m("quantityMilli", &quantity)
            try m.nullable("unitPriceMinor", &entry.unitPriceMinor)
            try m.nullable("discountMinor", &entry.discountMinor)
            try m.nullable("discountReason", &entry.discountReason)
            try m.optional("department", &entry.department)
            try m.optional("taxBasisPoints", &entry.taxBasisPoints)
            try m("total", &total)
            entry.quantityMilli = quantity
        }
    }

    /// A ULID. A sale of the cart takes it as its key, so that one cart is sold once at most.
    package var cartId = ""
    /// As people call it; nil: no name.
    package var name: String?
    /// RFC 3339.
    package var parkedAt = ""
    /// RFC 3339, since when somebody works on it again; nil: nobody does.
    package var resumedAt: String?
    /// In the order of scanning.
    package var lines: [Line] = []
    /// What the cart came to when it was parked, offers taken off.
    package var total = MoneyAmount()
    /// As typed; nil: no member.
    package var memberId: String?
    /// Codes as typed.
    package var coupons: [String] = []
    /// Points that its sale spends; nil: none.
    package var points: Int64?
    package var state = CartState.parked
    /// What was taken for it, in that order.
    package var taken: [TakenTender] = []
    /// Goods that come back for it; nil: its sale is no exchange.
    package var returns: SellCall.Returns?
    /// The id of the till that has it; nil outside of the list of carts.
    package var owner: String?
    /// That till's number, of a cart of another till; nil: it is not known.
    package var ownerNumber: Int64?
    /// Whether that till responds; nil outside of the list of carts.
    package var reachable: Bool?
    /// Of another till's cart, whose lines are there: how many; nil: it is this till's.
    package var count: Int64?
    /// The first cart that it is a copy of; nil: it is none.
    package var copiedFrom: String?

    /// Whether another till has it.
    package var isElsewhere: Bool { count != nil }

    /// What was taken, as the front ends use it.
    package var money: TakenMoney { TakenMoney(taken) }

    /// As ``CartSummary/content(in:)``.
    package func content(in language: Language) -> String {
        language.cartTexts.content(lines: count.map(Int.init) ?? lines.count, returned: returns?.lines.count)
    }

    package init(
        cartId: String, name: String?, parkedAt: String, resumedAt: String?, lines: [Line],
        total: MoneyAmount, memberId: String?, coupons: [String], points: Int64? = nil
    ) {
        self.cartId = cartId
        self.name = name
        self.parkedAt = parkedAt
        self.resumedAt = resumedAt
        self.lines = lines
        self.total = total
        self.memberId = memberId
        self.coupons = coupons
        self.points = points
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("cartId", &cartId)
        try m.nullable("name", &name)
        try m("parkedAt", &parkedAt)
        try m.nullable("resumedAt", &resumedAt)
        try m("lines", &lines)
        try m("total", &total)
        try m.nullable("memberId", &memberId)
        try m("coupons", &coupons)
        try m.optional("points", &points)
        try m("state", &state)
        try m.optional("taken", &taken, absent: [])
        try m.optional("returns", &returns)
        try m.optional("owner", &owner)
        try m.optional("ownerNumber", &ownerNumber)
        try m.optional("reachable", &reachable)
        try m.optional("count", &count)
        try m.optional("copiedFrom", &copiedFrom)
    }

    /// The cart as a sale that is not paid yet but for what was taken, with ``cartId`` as its key.
    package var basket: SellCall {
        var call = SellCall(
            key: cartId, lines: lines.map(\.entry), memberId: memberId, coupons: coupons)
        call.points = points
        call.payments = taken.isEmpty ? nil : money.tenders
        call.returns = returns
        return call
    }
}
