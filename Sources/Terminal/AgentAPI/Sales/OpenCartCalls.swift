package import Base
package import HubProtocol

/// `GET /v1/carts/open`: the carts that are not sold, whoever works on them.
///
/// With `watch` it waits for the next change, and its connection is the front end's presence: once it closes,
/// the front end's cart is left.
package struct OpenCartsCall: AgentCall {
    /// The revision that the caller has; nil: the list of now.
    package let watch: Int64?

    /// The list of now, or with `watch` the next one behind that revision.
    package init(watch: Int64? = nil) {
        self.watch = watch
    }

    /// `GET /v1/carts/open`, with the query `watch` where it waits.
    package var request: AgentRequest {
        AgentRequest(
            "GET", AgentRoutes.openCarts, query: watch.map { [AgentRoutes.watch: String($0)] } ?? [:])
    }

    /// The document of `pos cart current --json`.
    package struct Response: MemberDocument {
        /// The oldest first.
        package var carts: [CartSummary] = []
        /// For ``OpenCartsCall/watch`` of the next call.
        package var revision: Int64 = 0

        package init(carts: [CartSummary], revision: Int64) {
            (self.carts, self.revision) = (carts, revision)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("carts", &carts)
            try m("revision", &revision)
        }
    }
}

/// `PUT /v1/carts/open`: what the front end has on its screen.
package struct KeepCartCall: AgentCall, Hashable {
    /// Its `key` is the cart's id, its payments are what was taken. Nil: the front end has none any more, and
    /// what it had is left for the next counter.
    package let cart: SellCall?
    /// Of the front end's changes, rising; an older one changes nothing.
    package let revision: Int64

    /// A cart with a key, or none.
    package init(_ cart: SellCall?, revision: Int64) {
        (self.cart, self.revision) = (cart, revision)
    }

    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? .null, of: .request)
        try members.refuseUnknown(["cart", "revision"])
        guard let revision = try members.integer("revision"), revision >= 0 else {
            throw members.malformed("revision", "an integer from 0")
        }
        self.revision = revision
        cart = try members.object("cart").map { object throws(RequestRefusal) in
            try SellCall(body: .object(object))
        }
        guard cart == nil || cart?.key != nil else { throw members.malformed("cart.key", "a ULID") }
    }

    /// `PUT /v1/carts/open`.
    package var request: AgentRequest {
        AgentRequest(
            "PUT", AgentRoutes.openCarts,
            body: ["cart": cart?.body ?? .null, "revision": .integer(revision)])
    }

    /// The cart as it is on disk now.
    package struct Response: MemberDocument {
        /// Nil: the front end has none.
        package var cart: CartSummary?

        /// A cart, or none.
        package init(cart: CartSummary?) {
            self.cart = cart
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("cart", &cart)
        }
    }
}

/// Who works on a cart.
package enum CartState: String, DocumentValue {
    /// A front end has it on its screen.
    case open
    /// That front end ended, or left it.
    case left
    case parked
}

/// A cart that is not sold, in short.
package struct CartSummary: MemberDocument {
    /// A ULID.
    package var cartId = ""
    /// `<ULID of its start>;<name>` of whoever has or had it on the screen; nil of a parked one.
    package var frontEnd: String?
    package var state = CartState.open
    /// How many lines it has; 0 where goods come back alone.
    package var lines: Int64 = 0
    /// What it comes to, offers taken off.
    package var total = MoneyAmount()
    /// What was taken for it, in that order.
    package var taken: [TakenTender] = []
    /// Who was signed in with its last change; nil: nobody.
    package var cashierId: String?
    /// As typed; nil: no member.
    package var memberId: String?
    /// Codes as typed.
    package var coupons: [String] = []
    /// RFC 3339, of its last change.
    package var since = ""
    /// As people call it; nil: no name.
    package var name: String?
    /// Another front end that wants to take the open cart; nil: none does.
    package var wantedBy: String?
    /// How many articles come back for it, 0 for all that is left of their sale; nil: it is no exchange.
    package var returnedLines: Int64?

    package init(
        cartId: String, frontEnd: String?, state: CartState, lines: Int64, total: MoneyAmount,
        taken: [TakenTender], cashierId: String?, memberId: String?, coupons: [String], since: String
    ) {
        self.cartId = cartId
        self.frontEnd = frontEnd
        self.state = state
        self.lines = lines
        self.total = total
        self.taken = taken
        self.cashierId = cashierId
        self.memberId = memberId
        self.coupons = coupons
        self.since = since
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("cartId", &cartId)
        try m.nullable("frontEnd", &frontEnd)
        try m("state", &state)
        try m("lines", &lines)
        try m("total", &total)
        try m("taken", &taken)
        try m.nullable("cashierId", &cashierId)
        try m.nullable("memberId", &memberId)
        try m("coupons", &coupons)
        try m("since", &since)
        try m.nullable("name", &name)
        try m.optional("wantedBy", &wantedBy)
        try m.optional("returnedLines", &returnedLines)
    }

    /// `3 lines`, or `2 articles come back` where nothing is sold for them yet.
    package func content(in language: Language) -> String {
        language.cartTexts.content(lines: Int(lines), returned: returnedLines.map(Int.init))
    }

    /// What was taken, as the front ends use it.
    package var money: TakenMoney { TakenMoney(taken) }
}

extension CartTexts {
    /// What is in a cart, in a few words.
    ///
    /// - Parameter returned: articles that come back; 0: all of a sale. Nil: none.
    func content(lines count: Int, returned: Int?) -> String {
        if count == 0, let returned { comingBack(returned) } else { lines(count) }
    }
}
