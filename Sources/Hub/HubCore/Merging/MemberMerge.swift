package import HubProtocol

/// Two terminals without the hub make a member each of one person, or one of somebody who is a member
/// already: the hub finds it by the telephone number.
///
/// The member who had the number first stays. What the other one is known by besides it is added where the
/// first has nothing, points are added up, and the other id becomes a reference: sales, refunds and look-ups
/// that name it mean the first. A member whom the hub knew before by more than points is never merged, so
/// nobody takes another member's points by a number.
package struct MemberMerge: Hashable, Sendable {
    /// The member who had the number, as they are afterwards.
    package let owner: MemberState

    /// - Parameters:
    ///   - made: what the hub has of the new id: points of sales that arrived first, or nothing.
    ///   - fields: the new profile.
    ///   - owner: who has the number.
    /// - Returns: nil when the sum of the points cannot be kept; then both stay.
    package init?(of made: MemberState, _ fields: JSONValue, into owner: MemberState) {
        guard let sum = owner.adjusted(by: made.points) else { return nil }
        let known = owner.profile.object ?? [:]
        let added = (fields.object ?? [:]).filter { key, value in
            value != .null && key != MemberRecord.mergedInto && known[key] ?? .null == .null
        }
        self.owner = sum.written(.object(added))
    }

    /// What the feed has in the place of the other member.
    package static func reference(to ownerId: String) -> JSONValue {
        MemberState(profile: [MemberRecord.mergedInto: .string(ownerId)], points: 0).value
    }
}
