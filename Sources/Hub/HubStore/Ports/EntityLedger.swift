package import HubCore
package import HubProtocol

/// What the whole chain shares besides the catalogue: members, cashiers, promotions and coupons. The change
/// feed's own rows are where they are kept.
package protocol EntityLedger: Sendable {
    /// Takes records in, all or none. Entities that the list does not name stay as they are, and so do those
    /// that it names as they are.
    ///
    /// - Parameter gone: entities that are withdrawn: a tombstone takes their place.
    func importEntities(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome

    /// Takes what one id names out of the feed, as a withdrawal does, and the personal data that is with this
    /// id out of the journals that the hub keeps (``MemberErasure``).
    ///
    /// - Returns: whether the hub had the id, and how many entries of journals were changed.
    func eraseMemberId(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> (wasKnown: Bool, entries: Int)

    /// Takes back one portion of what a terminal changed of members; to be repeated while there is more.
    func revertMembers(
        _ reversal: MemberReversal, at now: Int64
    ) async throws(LedgerError) -> MemberReversal.Outcome

    /// Gives members one portion of the points that wait of a terminal's sales; to be repeated while there
    /// is more.
    func releaseHeldPoints(_ held: HeldPoints, at now: Int64) async throws(LedgerError) -> HeldPoints.Outcome

    /// Makes two members one, whom an operator knows to be one person.
    func settleMembers(
        _ settlement: MemberSettlement, at now: Int64
    ) async throws(LedgerError) -> MemberSettlement.Outcome

    /// The first `limit` members behind an id, in the order of their ids' bytes; those who were merged are
    /// among them.
    func members(after id: String, limit: Int) async throws(LedgerError) -> [MemberRecord]

    /// The ids that were merged into a member (``MemberMerge``). It reads all members.
    func idsMerged(into memberId: String) async throws(LedgerError) -> [String]

    /// The values of those of `keys` that are there.
    func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue]

    /// The values of all of a kind that are there for the terminals of a store, such as every `promotion`.
    func entities(ofKind entity: String, for storeId: String) async throws(LedgerError) -> [JSONValue]

    /// Another number after each change of a kind for the terminals of a store, withdrawals included.
    func changeMark(ofKind entity: String, for storeId: String) async throws(LedgerError) -> Int64

    /// The values of a kind that are there about some articles, for the terminals of a store: each `price`.
    func entities(
        ofKind entity: String, about skus: [String], for storeId: String
    ) async throws(LedgerError) -> [JSONValue]

    /// The first `limit` members whose phone has exactly these digits (``MemberRecord/lookupDigits(of:)``):
    /// those who had it first, then by their ids, so that nobody is hidden by others who take the number
    /// later. Their values say `phoneSince` unless it was the hub that gave them the number.
    func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord]

    /// The coupons with these codes, by the code as it is requested. A code that nobody imported so is taken
    /// for the one with the same normal form.
    func coupons(typed codes: [String]) async throws(LedgerError) -> [String: JSONValue]
}

extension EntityLedger {
    /// Makes two members one (``MemberSettlement``), with every id that was merged into the second before.
    package func mergeMembers(
        keeping kept: String, over other: String, at now: Int64
    ) async throws(LedgerError) -> MemberSettlement.Outcome {
        let references = try await idsMerged(into: other)
        let settlement = MemberSettlement(keeping: kept, over: other, references: references)
        return try await settleMembers(settlement, at: now)
    }

    /// Members of one page when all are read: some 200 KB. Half of it reads twice as often; twice as much
    /// keeps a reader longer.
    private static var memberPage: Int { 1_000 }

    /// Members who may be one person, at most `limit` groups.
    package func doubleMembers(limit: Int) async throws(LedgerError) -> MemberDoubles {
        var doubles = MemberDoubles(limit: limit)
        for isFirst in [true, false] {
            var last = ""
            while true {
                let page = try await members(after: last, limit: Self.memberPage)
                if isFirst { doubles.count(page) } else { doubles.collect(page) }
                guard page.count == Self.memberPage, let end = page.last?.id else { break }
                last = end
            }
        }
        return doubles
    }

    /// Erases a member with all ids that were merged into it, whichever of them is named.
    ///
    /// - Returns: whether the hub had the member, and how many entries of journals were changed.
    package func eraseMember(
        _ id: String, at now: Int64
    ) async throws(LedgerError) -> (wasKnown: Bool, entries: Int) {
        let owner = try await memberOfPerson(id).id
        var erased = (wasKnown: false, entries: 0)
        for id in [owner] + (try await idsMerged(into: owner)) {
            let (wasKnown, entries) = try await eraseMemberId(id, at: now)
            erased = (erased.wasKnown || wasKnown, erased.entries + entries)
        }
        return erased
    }

    /// The member `id`, or the one whom it was merged into, with that one's id; the value is nil where there
    /// is none.
    package func memberOfPerson(_ id: String) async throws(LedgerError) -> (id: String, value: JSONValue?) {
        let named = EntityKey("member", id)
        let value = try await entities([named])[named]
        guard let owner = MemberState(value).mergedInto else { return (id, value) }
        let key = EntityKey("member", owner)
        return (owner, try await entities([key])[key])
    }

    /// Withdraws a member.
    ///
    /// - Returns: whether there was one.
    package func withdrawMember(_ id: String, at now: Int64) async throws(LedgerError) -> Bool {
        let none: [MemberEntry] = []
        let outcome = try await importEntities(none, withdrawing: [EntityKey("member", id)], at: now)
        return outcome == .imported(new: 0, changed: 0, unchanged: 0, withdrawn: 1)
    }

    /// Takes records in and withdraws none.
    package func importEntities(
        _ list: [some ImportedEntity], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome {
        try await importEntities(list, withdrawing: [], at: now)
    }
}

extension MemberRecord {
    /// A row of those that are found by a phone.
    package init(id: String, value: JSONValue, phoneSince: String?) {
        var fields = value.object ?? [:]
        fields[FeedView.phoneSince] = phoneSince.flatMap { $0.isEmpty ? nil : .string($0) }
        self.init(id: id, value: .object(fields))
    }
}

extension MemberReversal.Part {
    /// Rows of the table `member_changes` that still have something of it.
    package var condition: String {
        switch self {
        case .profiles: "fields <> '{}'"
        case .points: "delta <> 0"
        }
    }
}
