public import HubCore
public import HubProtocol

/// What the whole chain shares besides the catalogue: members, cashiers, promotions and coupons. The change
/// feed's own rows are where they are kept.
public protocol EntityLedger: Sendable {
    /// Takes records in, all or none. Entities that the list does not name stay as they are, and so do those
    /// that it names as they are.
    func importEntities(
        _ list: [some ImportedEntity], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome

    /// The values of those of `keys` that are there.
    func entities(_ keys: [EntityKey]) async throws(LedgerError) -> [EntityKey: JSONValue]

    /// The values of all of a kind that are there, such as every `promotion`.
    func entities(ofKind entity: String) async throws(LedgerError) -> [JSONValue]

    /// The first `limit` members, by their ids, whose phone has exactly these digits
    /// (``MemberRecord/lookupDigits(of:)``).
    func members(lookup digits: String, limit: Int) async throws(LedgerError) -> [MemberRecord]
}

extension EntityPlan {
    var outcome: ImportOutcome {
        if let objection { return .refused(objection.words, place: objection.place) }
        return .imported(new: counts.new, changed: counts.changed, unchanged: counts.unchanged)
    }

    /// The outcome of a list of which this plan is made of a part, and the others stay as they are.
    func outcome(ofAll count: Int) -> ImportOutcome {
        // A place in the part is none in the list; the words name the record.
        if let objection { return .refused(objection.words) }
        return .imported(
            new: counts.new, changed: counts.changed, unchanged: count - counts.new - counts.changed)
    }
}
