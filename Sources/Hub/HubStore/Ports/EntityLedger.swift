public import HubCore
public import HubProtocol

/// What the whole chain shares besides the catalogue: members, cashiers, promotions and coupons. The change
/// feed's own rows are where they are kept.
public protocol EntityLedger: Sendable {
    /// Takes records in, all or none. Entities that the list does not name stay as they are, and so do those
    /// that it names as they are.
    ///
    /// - Parameter gone: entities that are withdrawn: a tombstone takes their place.
    func importEntities(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey], at now: Int64
    ) async throws(LedgerError) -> ImportOutcome

    /// Takes a member out of the feed, as a withdrawal does, and their personal data out of the journals that
    /// the hub keeps (``MemberErasure``).
    ///
    /// - Returns: whether the hub had the member, and how many entries of journals were changed.
    func eraseMember(_ id: String, at now: Int64) async throws(LedgerError) -> (wasKnown: Bool, entries: Int)

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
    /// Withdraws a member.
    ///
    /// - Returns: whether there was one.
    package func withdrawMember(_ id: String, at now: Int64) async throws(LedgerError) -> Bool {
        let none: [MemberEntry] = []
        let outcome = try await importEntities(none, withdrawing: [EntityKey("member", id)], at: now)
        return outcome == .imported(new: 0, changed: 0, unchanged: 0, withdrawn: 1)
    }

    /// Takes records in and withdraws none.
    public func importEntities(
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
