package import HubProtocol

/// The rules of `member.created`, `member.updated` and `points.adjusted`.
///
/// Points travel as differences only. Where a profile carries `points`, as one does that a till read from the
/// feed and sends back, they are left aside and flagged: a sum that was true when it was read would undo what
/// other tills added since. An opening balance is a `points.adjusted` like any other.
package enum MemberRules {
    /// A `points.adjusted`, as far as the hub computes with it.
    package struct Adjustment: Hashable, Sendable {
        /// 1 to 128 bytes; the hub need not have this member.
        package let memberId: String
        /// Points that were earned or, negative, spent.
        package let delta: Int64

        /// Reads the payload `{"memberId","delta"}`; without `memberId` the mutation's entity is the member.
        package init(_ mutation: Mutation) throws(ShapeError) {
            let adjustment = try PointsAdjustment(json: mutation.payload)
            memberId = try MemberRules.checked(adjustment.memberId ?? mutation.entityId)
            delta = adjustment.delta
        }
    }

    /// What one adjustment may add or take off: ninety of the largest stay within ``MemberState/range``. What
    /// a terminal really moves is limited by ``IntakeLimits``, so nothing changes with half or twice of it.
    package static let deltas = PayloadRange.points

    static func assessAdjustment(_ mutation: Mutation) throws(ShapeError) -> IntakeRules.Assessment {
        let adjustment = try Adjustment(mutation)
        return .accepted(
            flags: [], effects: [.adjustPoints(memberId: adjustment.memberId, delta: adjustment.delta)])
    }

    static func assessProfile(_ mutation: Mutation) throws(ShapeError) -> IntakeRules.Assessment {
        let id = try checked(MemberProfile(json: mutation.payload).memberId ?? mutation.entityId)
        let given = try FieldChange(payload: mutation.payload, without: ["memberId", "lookUp"])
        let flags: Set<IntakeFlag> = given.fields["points"] == nil ? [] : [.pointsIgnored]
        let change = given.without("points")
        if let objection = RecordLimits.member.objection(to: change.fields) { return .rejected(objection) }
        let fields = change.fields.object ?? [:]
        for key in ["name", "phone"] {
            guard let value = fields[key], value != .null else { continue }
            guard let text = value.string, (1...MemberRecord.longestField).contains(text.utf8.count) else {
                return .rejected("The `\(key)` of a member is 1 to \(MemberRecord.longestField) bytes long.")
            }
        }
        guard mutation.type == "member.created" || !fields.isEmpty else {
            return .accepted(flags: flags, effects: [])
        }
        return .accepted(flags: flags, effects: [.writeMember(id: id, change)])
    }

    private static func checked(_ id: String) throws(ShapeError) -> String {
        guard (1...longestId).contains(id.utf8.count) else {
            throw ShapeError(path: "memberId", expected: "1 to \(longestId) bytes long")
        }
        return id
    }

    /// In bytes; numbers of cards and ULIDs have 10 to 26.
    static let longestId = TextBound.name
}

extension FieldChange {
    /// The change without the telephone number, where it replaces or removes one by which the member can be
    /// found, and whoever made it did not find the member by that one.
    ///
    /// - Parameter number: by which the member was looked up; nil: nobody says.
    /// - Returns: nil when all of the change may be written.
    func withholdingNumber(of member: MemberState, foundBy number: String?) -> FieldChange? {
        // A null is there, and takes the number away.
        guard changed?.contains("phone") ?? true, let wanted = fields.object?["phone"],
            let known = member.profile["phone"]?.string.flatMap(MemberRecord.lookupDigits),
            wanted.string.flatMap(MemberRecord.lookupDigits) != known,
            number.map({ MemberRecord.lookupForms(of: $0).contains(known) }) != true
        else { return nil }
        return without("phone")
    }
}

/// The coupons that a sale took, and `coupon.redeemed` outside of one.
///
/// Only the hub counts a coupon's uses, since only it gets all sales; what a till took that it should not
/// have, knowing less, is flagged and accepted.
enum CouponRules {
    static func use(of codes: [String]) -> [IntakeEffect] {
        codes.map { IntakeEffect.countCoupon(code: $0, uses: 1) }
    }

    static func redemption(_ mutation: Mutation) -> [IntakeEffect] {
        use(of: [TextBound.key(RedeemedCoupon(shown: mutation.payload).code ?? mutation.entityId)])
    }
}
