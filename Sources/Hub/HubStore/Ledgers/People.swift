internal import Credentials
package import HubCore
package import HubProtocol

/// Members as persons, over what is stored of them.
extension Ledger {
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
