import HubProtocol

/// How much of what belongs to the whole chain one terminal changes on a day.
struct ChainMeasure {
    /// What the entry adds to all counts.
    let more: TerminalUsage
    /// The count that the limit is for.
    let used: KeyPath<TerminalUsage, Int64>
    let limit: Int64
    /// Raised once half of the limit is reached.
    let alarm: AlarmKind
    /// Why no day has room for the entry; nil: one has.
    let refusal: String?

    /// The measures that an entry is held against, each with the same ``more``.
    static func of(_ mutation: Mutation, within limits: IntakeLimits) -> [ChainMeasure] {
        switch mutation.type {
        case "points.adjusted": ofAdjustment(mutation, limits)
        case "member.updated":
            [
                ChainMeasure(
                    more: TerminalUsage(memberChanges: 1), used: \.memberChanges,
                    limit: limits.memberChangesPerDay, alarm: .memberChangesMany, refusal: nil)
            ]
        case "member.created":
            [
                ChainMeasure(
                    more: TerminalUsage(newMembers: 1), used: \.newMembers, limit: limits.newMembersPerDay,
                    alarm: .newMembersMany, refusal: nil)
            ]
        case _: []
        }
    }

    private static func ofAdjustment(_ mutation: Mutation, _ limits: IntakeLimits) -> [ChainMeasure] {
        guard let adjustment = try? MemberRules.Adjustment(mutation) else { return [] }
        let points = Int64(clamping: adjustment.delta.magnitude)
        let most = min(limits.pointsPerMutation, limits.pointsPerDay, limits.pointsAdjustedPerDay)
        let refusal = points > most ? "One adjustment moves at most \(most) points." : nil
        let more = TerminalUsage(points: points, pointsAdjusted: points)
        return [
            ChainMeasure(
                more: more, used: \.pointsAdjusted, limit: limits.pointsAdjustedPerDay,
                alarm: .pointsAdjustedMany, refusal: refusal),
            ChainMeasure(
                more: more, used: \.points, limit: limits.pointsPerDay,
                alarm: .pointsUnexplainedMany, refusal: refusal),
        ]
    }
}
