package import HubProtocol

/// A member of the chain as the change feed shows one: the fields of the profile and, among them, `points`.
///
/// The two never touch each other: a profile is written field by field, points move by differences alone.
package struct MemberState: Hashable, Sendable {
    /// All fields but the points. Empty for a member of whom only points are known.
    package let profile: JSONValue
    /// The sum of all differences; below zero when two tills spent the same points.
    package let points: Int64

    /// What the sum has to stay within: numbers travel as integers below 2⁵³ (http.md section 3).
    package static let range: ClosedRange<Int64> = -(1 << 53 - 1)...(1 << 53 - 1)

    private static let pointsKey = "points"

    /// - Parameter value: the member's value in the feed; nil for a member that is not there.
    package init(_ value: JSONValue?) {
        var fields = value?.object ?? [:]
        points = fields[Self.pointsKey]?.integer ?? 0
        fields[Self.pointsKey] = nil
        profile = .object(fields)
    }

    init(profile: JSONValue, points: Int64) {
        self.profile = profile
        self.points = points
    }

    /// Whether anything is known of the member but points.
    package var isKnown: Bool { profile.object?.isEmpty == false }

    /// The member whom this one was merged into (``MemberMerge``); nil: a member of their own.
    package var mergedInto: String? { profile[MemberRecord.mergedInto]?.string }

    /// The profile and `points` as one object, as it goes into the change feed.
    package var value: JSONValue {
        var fields = profile.object ?? [:]
        fields[Self.pointsKey] = .integer(points)
        return .object(fields)
    }

    /// `lww_server_hlc`: the profile with `change` written over it, the points as they were.
    ///
    /// - Parameter changed: the fields that `change` writes; nil: all.
    package func written(_ change: JSONValue, naming changed: Set<String>? = nil) -> MemberState {
        let written = Merging.written(change, naming: changed, over: isKnown ? profile : nil)
        return MemberState(profile: written, points: points)
    }

    /// `commutative_delta`: the points with `delta` added, the profile as it was.
    ///
    /// - Returns: nil when the sum would leave ``range``.
    package func adjusted(by delta: Int64) -> MemberState? {
        guard let sum = Merging.add(delta, to: points), Self.range.contains(sum) else { return nil }
        return MemberState(profile: profile, points: sum)
    }
}
