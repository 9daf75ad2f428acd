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
package struct LeaseUse: Hashable, Sendable {
    /// The lease's id, as in the feed's entity `lease`.
    package let leaseId: String
    /// What was lent.
    package let kind: LeaseKind
    /// Whose, by the kind.
    package let subject: String
    /// Positive, in the kind's unit.
    package let amount: Int64

    package init(leaseId: String, kind: LeaseKind, subject: String, amount: Int64) {
        self.leaseId = leaseId
        self.kind = kind
        self.subject = subject
        self.amount = amount
    }

    /// Reads an element of `leases`; the amount is from 1 to 10^12.
    package init(json: JSONValue) throws(ShapeError) {
        guard let kind = LeaseKind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "points, coupon or card")
        }
        self.init(
            leaseId: try json.requiredString("leaseId"), kind: kind,
            subject: try json.requiredString("subject"),
            amount: try json.requiredInteger("amount", in: 1...PayloadRange.count.upperBound))
    }

    /// The element as it is written.
    package var canonical: CanonicalObject {
        var members = CanonicalObject(capacity: 128)
        members.add("amount", amount)
        members.add("kind", kind.rawValue)
        members.add("leaseId", leaseId)
        members.add("subject", subject)
        return members
    }

    /// The uses in the member `leases` of `payload`; none where it is missing.
    package static func all(in payload: JSONValue) throws(ShapeError) -> [LeaseUse] {
        guard payload["leases"] != nil else { return [] }
        var uses: [LeaseUse] = []
        for element in try payload.requiredArray("leases") { uses.append(try LeaseUse(json: element)) }
        return uses
    }
}
