package import HubProtocol

/// What one entry of a terminal changed of a member, so that it can be taken back.
package struct MemberChange: Hashable, Sendable {
    /// Whose entry it was.
    package let terminalId: String
    /// The member whose row of the feed changed.
    package let memberId: String
    /// When the hub got it, in milliseconds since 1970.
    package let at: Int64
    /// Whether nothing was known of the member before, neither profile nor points.
    package let isNew: Bool
    /// Points that were added or, negative, taken off.
    package let delta: Int64
    /// The fields of the profile that changed, each as `{"from","to"}`; null for one that was not there.
    package let fields: JSONValue

    package init(
        terminalId: String, memberId: String, at: Int64, isNew: Bool, delta: Int64, fields: JSONValue
    ) {
        self.terminalId = terminalId
        self.memberId = memberId
        self.at = at
        self.isNew = isNew
        self.delta = delta
        self.fields = fields
    }

    init(of memberId: String, from before: MemberState, to after: MemberState, by record: MutationRecord) {
        let (old, new) = (before.profile.object ?? [:], after.profile.object ?? [:])
        var fields: JSONObject = [:]
        for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
            fields[key] = ["from": old[key] ?? .null, "to": new[key] ?? .null]
        }
        self.init(
            terminalId: record.device.terminalId, memberId: memberId, at: record.receivedAt,
            isNew: !before.isKnown && before.points == 0, delta: after.points - before.points,
            fields: .object(fields))
    }

    /// Whether nothing of it is left to take back.
    package var isEmpty: Bool { delta == 0 && fields.object?.isEmpty != false }

    /// What is left of it once its profile or its points were taken back.
    func without(_ part: MemberReversal.Part) -> MemberChange {
        MemberChange(
            terminalId: terminalId, memberId: memberId, at: at, isNew: isNew,
            delta: part == .points ? 0 : delta, fields: part == .profiles ? [:] : fields)
    }
}

/// What taking a terminal's changes of members back, or giving members what waits, reads from the store and
/// writes to it within one transaction, besides the intake.
package protocol MemberReversalTransaction: IntakeTransaction {
    /// The newest changes of a terminal since a moment that still have something of `part`, with their keys.
    func memberChanges(
        of terminalId: String, since: Int64, with part: MemberReversal.Part, limit: Int
    ) throws -> [(key: Int64, change: MemberChange)]
    /// The sales that `held` names and whose points wait, the first ones first.
    func heldSales(of held: HeldPoints, limit: Int) throws -> [HeldPoints.Sale]
    /// Takes a flag of an accepted mutation away.
    func remove(_ flag: IntakeFlag, of mutationId: String) throws
    /// Keeps what is left of a change; one that is empty goes.
    func replace(_ key: Int64, by change: MemberChange) throws
}

/// Takes back what a terminal changed of members: the way back from a till that ran wild or was hostile.
package struct MemberReversal: Fact {
    /// What is taken back; the other part stays.
    package enum Part: String, Hashable, Sendable {
        /// Fields of profiles, and members that it made.
        case profiles
        /// Points, those of its sales too.
        case points
    }

    /// What one portion of the work came to.
    package struct Outcome: Hashable, Sendable {
        /// Changes that were taken back.
        package var reverted = 0
        /// Changes of which something stayed as it is: somebody else changed it since, or the member is gone.
        package var kept = 0
        /// Members that the terminal had made and that are withdrawn now.
        package var withdrawn = 0
        /// Whether older changes wait for the next portion.
        package var hasMore = false

        /// Nothing yet.
        package init() {}

        /// Adds a further portion.
        package mutating func add(_ other: Outcome) {
            reverted += other.reverted
            kept += other.kept
            withdrawn += other.withdrawn
            hasMore = other.hasMore
        }
    }

    /// Changes of one transaction, some ten milliseconds' worth: pushes go between them.
    package static let portion = 200

    /// Whose changes go.
    package private(set) var terminalId = ""
    /// In milliseconds since 1970, by the hub's clock.
    package private(set) var since: Int64 = 0
    /// Profiles or points.
    package private(set) var part = Part.profiles

    /// A reversal of everything since a moment.
    package init(terminalId: String, since: Int64, part: Part) {
        self.terminalId = terminalId
        self.since = since
        self.part = part
    }

    /// Takes one portion back, the newest change first, in a transaction that has begun.
    package func run(at now: Int64, in store: some MemberReversalTransaction) throws -> Outcome {
        var clock = try store.clock()
        var outcome = Outcome()
        let changes = try store.memberChanges(of: terminalId, since: since, with: part, limit: Self.portion)
        outcome.hasMore = changes.count == Self.portion
        for (key, change) in changes {
            try store.replace(key, by: change.without(part))
            guard let known = try store.entity("member", change.memberId, in: ""), !known.isDeleted,
                let (after, isWhole) = undone(change, in: MemberState(known.value))
            else {
                outcome.kept += 1
                continue
            }
            if isWhole { outcome.reverted += 1 } else { outcome.kept += 1 }
            let isLeft = after.isKnown || after.points != 0 || !change.isNew
            if !isLeft { outcome.withdrawn += 1 }
            clock.tick(now: now)
            try store.publish(
                FeedChange(
                    entity: "member", entityId: change.memberId, storeId: "",
                    deletedAt: isLeft ? nil : now, hlc: clock, origin: nil,
                    value: isLeft ? after.value : nil))
            guard part == .points else { continue }
            try store.append(
                JournalDocument(
                    JournalCommons(
                        .points, "\(key).reverted", of: terminalId,
                        in: store.receiptSigner(terminalId)?.storeId, at: now),
                    PointsDocument(change.memberId, -change.delta, reason: "reverted")))
        }
        try store.save(clock)
        return outcome
    }

    /// - Returns: the member without the change, and whether all of it went; nil when the points cannot be.
    private func undone(_ change: MemberChange, in now: MemberState) -> (MemberState, isWhole: Bool)? {
        switch part {
        case .points: return now.adjusted(by: -change.delta).map { ($0, true) }
        case .profiles:
            var fields = now.profile.object ?? [:]
            var isWhole = true
            for (key, values) in change.fields.object ?? [:] {
                let (from, to) = (values["from"] ?? .null, values["to"] ?? .null)
                guard fields[key] ?? .null == to else {
                    isWhole = false
                    continue
                }
                if from == .null { fields[key] = nil } else { fields[key] = from }
            }
            return (MemberState(profile: .object(fields), points: now.points), isWhole)
        }
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.word("part", &part, of: "profiles or points")
        try m.number("since", &since)
        try m.text("terminalId", &terminalId)
    }
}
