/// The payload of `points.adjusted`: points that a person gives or takes.
package struct PointsAdjustment: Fact {
    /// Points that were earned or, negative, spent.
    package var delta: Int64 = 0
    /// Nil: the mutation's entity is the member.
    package var memberId: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("delta", &delta, in: PayloadRange.points)
        try m.text("memberId", &memberId, .valid)
    }
}

/// The payload of `coupon.redeemed`: a coupon that was taken outside of a sale.
package struct RedeemedCoupon: Fact {
    /// Nil: it is the mutation's entity.
    package var code: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("code", &code, .optional)
    }
}

/// The payload of `mutation.discarded`: a refused entry that a person gives up.
package struct DiscardedMutation: Fact {
    package var approverId: String?
    /// Who discards it: the cashier, or a name as entered.
    package var by: String?
    package var cashierId: String?
    /// The mutation that is given up.
    package var discards = ""
    package var reason: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("approverId", &approverId, .optional)
        try m.text("by", &by, .optional.orNull)
        try m.text("cashierId", &cashierId, .optional)
        try m.text("discards", &discards)
        try m.text("reason", &reason, .optional)
    }
}

/// What a till writes of a member into `member.created`, and what the hub reads of it beside the fields of
/// the profile.
package struct MemberProfile: Fact {
    /// How a member was found whose number is changed.
    package struct LookUp: Fact {
        /// As typed.
        package var phone: String?

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("phone", &phone, .optional)
        }
    }

    package var lookUp: LookUp?
    /// Nil: the mutation's entity is the member.
    package var memberId: String?
    package var name: String?
    package var phone: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("lookUp", &lookUp, .optional)
        try m.text("memberId", &memberId, .valid)
        try m.text("name", &name, .optional)
        try m.text("phone", &phone, .optional)
    }
}
