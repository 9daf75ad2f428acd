package import HubProtocol

/// Finds members who may be one person, since their telephone numbers are one number in two spellings or the
/// same: imports and changes of profiles never merge anybody, and a number without a country is no proof.
///
/// All members are read twice, a page at a time: of the first reading one number a member is kept.
package struct MemberDoubles: Sendable {
    /// Members of one number; a person decides whether they are one.
    package struct Group: Hashable, Sendable {
        /// In the order of their ids, at least two.
        package var members: [MemberRecord]
    }

    private var counts: [String: Int] = [:]
    private var found: [String: [MemberRecord]] = [:]
    private let limit: Int

    /// - Parameter limit: how many groups are listed at most.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The first reading.
    package mutating func count(_ page: [MemberRecord]) {
        for number in page.compactMap(Self.number) { counts[number, default: 0] += 1 }
    }

    /// The second reading: keeps who shares a number.
    package mutating func collect(_ page: [MemberRecord]) {
        for member in page {
            guard let number = Self.number(of: member), counts[number] ?? 0 > 1 else { continue }
            if found[number] == nil, found.count >= limit { continue }
            found[number, default: []].append(member)
        }
    }

    /// Whether there are more groups than are listed.
    package var hasMore: Bool { counts.values.count { $0 > 1 } > limit }

    /// The groups, by their numbers.
    package var groups: [Group] {
        found.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { Group(members: $0.value) }
    }

    /// The number as it is dialled at home, without 0 and country, by which spellings are compared; nil for a
    /// member without one, and for one who was merged.
    private static func number(of member: MemberRecord) -> String? {
        guard let phone = member.phone, member.value[MemberRecord.mergedInto] == nil else { return nil }
        // The shortest form is the one with the least in front.
        return MemberRecord.personalForms(of: phone)
            .map { String($0.drop { $0 == "0" }) }
            .min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }
}

/// An operator's decision that two members are one person: the first stays, by the rules of ``MemberMerge``.
package struct MemberSettlement: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: Hashable, Sendable {
        /// They are one; the member who stayed.
        case merged(MemberRecord)
        /// There is no such member of their own: unknown, withdrawn or merged already.
        case unknown(String)
        /// The sum of their points cannot be kept.
        case tooManyPoints
    }

    /// Who stays.
    package let kept: String
    /// Who becomes a reference to ``kept``.
    package let other: String
    /// Ids that were merged into ``other`` before: they become references to ``kept``.
    let references: [String]

    /// - Parameter references: every id that was merged into `other`.
    package init(keeping kept: String, over other: String, references: [String] = []) {
        (self.kept, self.other, self.references) = (kept, other, references)
    }

    /// How many moments of the feed's clock it takes. All leases that it moves have one, since nobody knows
    /// before how many there are.
    package var changes: Int { references.count + 3 }

    /// Merges them in a transaction that has begun.
    package func run(at now: Int64, in store: some LeaseTransaction) throws -> Outcome {
        guard kept != other else { return .unknown(other) }
        var states: [MemberState] = []
        for id in [kept, other] {
            let known = try store.entity("member", id, in: "")
            let state = MemberState(known?.value)
            guard let known, !known.isDeleted, state.isKnown, state.mergedInto == nil else {
                return .unknown(id)
            }
            states.append(state)
        }
        guard let merge = MemberMerge(of: states[1], states[1].profile, into: states[0]) else {
            return .tooManyPoints
        }
        var clock = try store.clock()
        let reference = MemberMerge.reference(to: kept)
        let values = [(kept, merge.owner.value)] + ([other] + references).map { ($0, reference) }
        for (id, value) in values {
            clock.tick(now: now)
            try store.publish(
                FeedChange(
                    entity: "member", entityId: id, storeId: "", deletedAt: nil, hlc: clock, origin: nil,
                    value: value))
        }
        for (id, delta) in [(kept, states[1].points), (other, -states[1].points)] where delta != 0 {
            try store.append(
                JournalDocument(
                    JournalCommons(.points, "\(other).merged.\(id)", of: nil, in: nil, at: now),
                    PointsDocument(id, delta, reason: "merged")))
        }
        clock.tick(now: now)
        for id in [other] + references {
            for var lease in try store.openLeases(of: .points, id) {
                lease.move(to: kept)
                try store.save(lease)
                try store.publish(lease.change(at: now, clock))
            }
            try store.moveVisits(of: id, to: kept)
        }
        try store.save(clock)
        return .merged(MemberRecord(id: kept, value: merge.owner.value))
    }
}
