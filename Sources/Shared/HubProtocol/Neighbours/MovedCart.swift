/// What of a parked cart another till of the store gets: what its sale needs. No money, and no member's name.
package struct MovedCart: Fact {
    /// As the cashier named it; nil: no name.
    package var name: String?
    /// ISO 4217.
    package var currency = ""
    /// Minor units, when it was parked.
    package var total: Int64 = 0
    /// Milliseconds since 1970.
    package var parkedAt: Int64 = 0
    /// The first cart that it is a copy of; nil: it is none.
    package var copiedFrom: String?
    /// Lines, member, coupons, points and what comes back, as a till keeps them.
    package var content: JSONValue?

    /// The canonical form of one, in bytes: some 250 lines. Beside ``ClaimResponse/mostGrants`` notes it fits
    /// a response.
    package static let mostBytes = 40 << 10

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.document("content", &content)
        try m.name("copiedFrom", &copiedFrom)
        try m.text("currency", &currency)
        try m.check(
            currency.utf8.count == 3 && currency.utf8.allSatisfy { (0x41...0x5A).contains($0) }, "currency",
            "three capital letters")
        try m.text("name", &name, .valid)
        try m.check(
            (name?.utf8.count ?? 0) <= TextBound.entered, "name", "at most \(TextBound.entered) bytes")
        try m.moment("parkedAt", &parkedAt)
        try m.number("total", &total)
    }
}

/// A request for what is in a parked cart of the till that gets it; the body of a request to ``path``. So a
/// person can copy the cart when that till is silent.
package struct CartRequest: Fact {
    /// The cart's id.
    package private(set) var cart = ""

    /// Where a till takes such requests.
    package static let path = "/neighbour/v1/carts"

    package init(_ cart: String) { self.cart = cart }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("cart", &cart)
    }
}

/// The response to a ``CartRequest``.
package struct CartContentResponse: Fact {
    /// Nil: no such cart is parked, or it is too large.
    package private(set) var cart: MovedCart?

    package init(_ cart: MovedCart?) { self.cart = cart }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("cart", &cart, .valid)
    }
}
