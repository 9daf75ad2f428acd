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
