/// What of the hub is lent to one terminal until a moment, so that the terminal can spend it without the hub.
package enum LeaseKind: String, Hashable, Sendable, CaseIterable {
    /// A member's points; the subject is the member's id, the amount counts points.
    case points
    /// Uses of a coupon; the subject is the coupon's digest, the amount counts uses.
    case coupon
    /// Minor units of offline card payments; the subject is the store's id.
    case card
}

/// How much of which lease a sale used, or a void gave back: an element of `leases` in `order.completed` and
/// `order.voided`.
package struct LeaseUse: Fact {
    /// The lease's id, as in the feed's entity `lease`.
    package private(set) var leaseId: String
    /// What was lent.
    package private(set) var kind: LeaseKind
    /// Whose, by the kind.
    package private(set) var subject: String
    /// Positive, in the kind's unit.
    package private(set) var amount: Int64

    package init(leaseId: String, kind: LeaseKind, subject: String, amount: Int64) {
        self.leaseId = leaseId
        self.kind = kind
        self.subject = subject
        self.amount = amount
    }

    package init() { self.init(leaseId: "", kind: .points, subject: "", amount: 0) }

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: 1...PayloadRange.count.upperBound)
        try m.word("kind", &kind, of: "points, coupon or card")
        try m.text("leaseId", &leaseId)
        try m.text("subject", &subject)
    }
}

/// The payload of `lease.given` and `lease.taken`: a part of a lease that one till of a store gave to another
/// one. Each of them has it in its own journal, and the hub books the part once. The mutation's entity is
/// `lease`, the entity's id the lease's.
package struct MovedLease: Fact {
    /// The type of the giver's mutation.
    package static let given = "lease.given"
    /// The type of the taker's.
    package static let taken = "lease.taken"

    package private(set) var leaseId = ""
    /// In the lease's unit.
    package private(set) var amount: Int64 = 1
    /// Who gave it; nil in the giver's own mutation.
    package private(set) var from: String?
    /// Who has it; nil in the taker's own mutation.
    package private(set) var to: String?
    /// The giver's signed `leaseGiven`.
    package private(set) var note: JSONValue?

    /// - Parameters:
    ///   - giver: nil: it is the giver's own mutation.
    ///   - note: the giver's.
    package init(_ grant: GrantedRight, from giver: String?, note: JSONValue) {
        (leaseId, amount, from, self.note) = (grant.right, grant.amount, giver, note)
        to = giver == nil ? grant.to : nil
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: 1...PayloadRange.count.upperBound)
        try m.name("from", &from)
        try m.name("leaseId", &leaseId)
        try m.document("note", &note)
        try m.name("to", &to)
        try m.check((from == nil) != (to == nil), "to", "either `from` or `to`")
    }
}
