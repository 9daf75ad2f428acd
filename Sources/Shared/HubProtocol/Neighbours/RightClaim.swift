/// What one till at a time can have the right to.
package enum RightKind: String, Hashable, Sendable, CaseIterable {
    /// To sell a parked cart; its id is the cart's.
    case cart
    /// To give back an amount of a sale; its id is the sale's order number.
    case receipt
    /// To spend a part of a lease; its id is the lease's.
    case lease

    /// The kind of note by which its owner gives it away.
    package var note: NoteKind {
        switch self {
        case .cart: .cartGranted
        case .receipt: .refundGranted
        case .lease: .leaseGiven
        }
    }
}

/// A claim of one till on a right of another one; the body of a request to ``path``.
package struct RightClaim: Fact {
    /// Of its maker: of a refund the refund's id. The same claim gets the same grant for ever.
    package private(set) var claimId = ""
    /// The word of a ``RightKind``, or of a later version.
    package private(set) var kind = ""
    /// The id of the right; of a lease also whose points, or which coupon, is wanted: the subject.
    package private(set) var right = ""
    /// Of a cart the till that had it first; nil of other rights, which their owner has from the hub or by
    /// its own sale.
    package private(set) var origin: String?
    /// How much of it, above 0: minor units of a receipt, the unit of a lease, of which an owner gives less
    /// where it has less; of a cart 1.
    package private(set) var amount: Int64 = 1
    /// What its owner decides by beside that: of a receipt the inquiry that the hub would get.
    package private(set) var document: JSONValue?

    /// Where a till takes claims.
    package static let path = "/neighbour/v1/claims"

    package init(
        claimId: String, kind: RightKind, right: String, origin: String? = nil, amount: Int64 = 1,
        document: JSONValue? = nil
    ) {
        self.claimId = claimId
        self.kind = kind.rawValue
        self.right = right
        self.origin = origin
        self.amount = amount
        self.document = document
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: 1...JSONValue.exactIntegers.upperBound)
        try m.name("claimId", &claimId)
        try m.document("document", &document)
        try m.name("kind", &kind)
        try m.name("origin", &origin)
        try m.name("right", &right)
    }
}

/// Why a claim is refused; the raw value is the text on the wire. A struct, since a later version may have
/// others.
package struct ClaimRefusal: RawRepresentable, Hashable, Sendable {
    /// The text on the wire.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The cart is sold.
    package static let sold = ClaimRefusal(rawValue: "sold")
    /// Another till has it by a grant.
    package static let granted = ClaimRefusal(rawValue: "granted")
    /// Less than the amount is left, or the claim was released before.
    package static let spent = ClaimRefusal(rawValue: "spent")
    /// The cart is on a screen, or was left at one.
    package static let inUse = ClaimRefusal(rawValue: "in_use")
    /// Something was taken for the cart, or a card may be charged for it.
    package static let hasMoney = ClaimRefusal(rawValue: "has_money")
    /// The till that was requested does not have the right, or must not give it away.
    package static let notMine = ClaimRefusal(rawValue: "not_mine")
    /// The claiming till has not used what it was granted before.
    package static let tooManyClaims = ClaimRefusal(rawValue: "too_many_claims")
    /// The owner's version does not know this kind of right.
    package static let unknownKind = ClaimRefusal(rawValue: "unknown_kind")
}

/// The response to a ``RightClaim``.
package struct ClaimResponse: Fact {
    /// The signed note of the grant, and of a cart before it those by which the owner has it, the first
    /// owner's first; empty: refused.
    package private(set) var grants: [JSONValue] = []
    /// What moves with the right: of a cart its lines, of a part of a lease the lease as its hub signed it.
    package private(set) var content: JSONValue?
    /// Nil unless it was refused.
    package private(set) var refusal: ClaimRefusal?
    /// Who has the right by a grant.
    package private(set) var terminalId: String?

    /// Owners that a cart had before one that takes it. Ten of their notes leave 44 KiB for its lines.
    package static let mostGrants = 10

    package init(grants: [JSONValue], content: JSONValue? = nil) {
        self.grants = grants
        self.content = content
    }

    /// - Parameter terminalId: who has the right, where it was granted before.
    package init(_ refusal: ClaimRefusal, grantedTo terminalId: String? = nil) {
        self.refusal = refusal
        self.terminalId = terminalId
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.document("content", &content)
        var list: JSONValue? = .array(grants)
        try m.document("grants", &list)
        grants = Array((list?.array ?? []).prefix(Self.mostGrants))
        try m.word("reason", &refusal, .valid.orNull, of: "a string or null")
        try m.text("terminalId", &terminalId, .valid)
        try m.check(grants.isEmpty != (refusal == nil), "grants", "notes, or `reason`")
    }
}

/// The body of `cartGranted`, `refundGranted` and `leaseGiven`: a right, or a part of one, that its owner
/// gave away. It is the taker's from this note on, whatever its owner does later.
package struct GrantedRight: Fact {
    package private(set) var kind = RightKind.cart
    /// The id of the right.
    package private(set) var right = ""
    /// The till that gets it.
    package private(set) var to = ""
    /// The taker's id of its claim.
    package private(set) var claimId = ""
    /// As claimed, of a lease at most; of a cart 1.
    package private(set) var amount: Int64 = 1
    /// All that its owner has given of this right so far, with this; of a cart 1.
    package private(set) var given: Int64 = 1
    /// Of a cart the number of the new ownership; of other rights 1.
    package private(set) var turn: Int64 = 1
    /// Milliseconds since 1970 by its maker's clock.
    package private(set) var madeAt: Int64 = 0
    /// Of a lease, when nothing of it is spent any more; nil: it does not end.
    package private(set) var endsAt: Int64?
    /// Of a receipt, ``RefundArbiter/hub`` where the hub decided and the seller follows it; nil: the seller.
    package private(set) var arbiter: RefundArbiter?

    package init(
        _ claim: RightClaim, of kind: RightKind, to taker: String, given: Int64 = 1, turn: Int64 = 1,
        madeAt: Int64, endsAt: Int64? = nil, arbiter: RefundArbiter? = nil
    ) {
        self.arbiter = arbiter
        self.kind = kind
        right = claim.right
        to = taker
        claimId = claim.claimId
        amount = claim.amount
        self.given = given
        self.turn = turn
        self.madeAt = madeAt
        self.endsAt = endsAt
    }

    package init() {}

    /// Of a lease, the id of the part that its taker has from now on: a lease of its own, the same at the
    /// hub and at the till. With the amount: a giver that signs two amounts for one claim gave twice.
    package var partId: String {
        Digest.sha256Hex(Array("lease-part\n\(right)\n\(to)\n\(claimId)\n\(amount)".utf8))
    }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        let amounts = 1...JSONValue.exactIntegers.upperBound
        try m.number("amount", &amount, in: amounts)
        try m.word("arbiter", &arbiter, .valid, of: "hub, seller or none")
        try m.name("claimId", &claimId)
        try m.moment("endsAt", &endsAt, .valid)
        try m.number("given", &given, in: amounts)
        try m.word("kind", &kind, of: "cart, receipt or lease")
        try m.moment("madeAt", &madeAt)
        try m.name("right", &right)
        try m.name("to", &to)
        try m.number("turn", &turn, in: amounts)
    }
}

/// The body of `released`: what a claim was granted is its owner's again, and nothing more is done by that
/// claim. The taker writes it; the owner's person can, for a taker that is silent.
package struct ReleasedRight: Fact {
    /// The till whose claim it is.
    package private(set) var taker = ""
    package private(set) var claimId = ""
    /// Milliseconds since 1970 by its maker's clock.
    package private(set) var madeAt: Int64 = 0

    package init(taker: String, claimId: String, madeAt: Int64) {
        (self.taker, self.claimId, self.madeAt) = (taker, claimId, madeAt)
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("claimId", &claimId)
        try m.moment("madeAt", &madeAt)
        try m.name("taker", &taker)
    }
}
