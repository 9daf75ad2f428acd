/// The status of several monitors at one moment.
public struct ReachabilityGroupStatus: Hashable, Sendable {
    /// The status of each, in the order of the group.
    public let members: [Member]

    /// One monitor's target with its status.
    public struct Member: Hashable, Sendable {
        /// The target of the monitor; two members have the same one where two monitors watch it.
        public let target: ReachabilityTarget
        /// The monitor's status when the group's status was made; it is not updated.
        public let status: ReachabilityStatus
    }

    /// Whether every target is reachable; true for an empty group.
    public var areAllReachable: Bool { members.allSatisfy(\.status.isReachable) }

    /// Whether at least one target is reachable.
    public var isAnyReachable: Bool { members.contains(where: \.status.isReachable) }

    /// The status of `target`; nil when it is not in the group.
    public subscript(target: ReachabilityTarget) -> ReachabilityStatus? {
        members.first { $0.target == target }?.status
    }

    func isNews(_ next: ReachabilityGroupStatus) -> Bool {
        members.count != next.members.count
            || zip(members, next.members).contains { $0.status.isNews($1.status) }
    }
}
