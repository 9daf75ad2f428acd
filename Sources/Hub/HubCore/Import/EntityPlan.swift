package import HubProtocol

/// What an import makes of the feed's entities, decided the same way for every store.
///
/// It holds as long as nobody else changes what it was made from. A store makes it once ahead, for what is to
/// be changed at all, and of that again within the transaction that does what it says: so nobody waits for
/// records that stay as they are.
package struct EntityPlan: Sendable {
    /// An entity's new value for the terminals of one store, or of all.
    package struct Change: Hashable, Sendable {
        /// The entity that changes; for some imports the ``ImportedEntity/basis`` of a record.
        package let key: EntityKey
        /// The store; empty: all.
        package let audience: String
        /// Nil: it is withdrawn from them.
        package let value: JSONValue?
        /// By how much a member's balance changes; 0 of all else.
        package let balanceChange: Int64

        init(key: EntityKey, audience: String, value: JSONValue?, instead before: JSONValue? = nil) {
            (self.key, self.audience, self.value) = (key, audience, value)
            balanceChange =
                key.entity == "member" ? MemberState(value).points - MemberState(before).points : 0
        }
    }

    /// Why nothing is imported, the first ``ImportObjection/most`` reasons; empty: it can be imported.
    package private(set) var objections: [ImportObjection] = []
    /// The first of them.
    package var objection: ImportObjection? { objections.first }
    /// What is written, each entity once: first what records build on, then they themselves.
    package var written: [Change] { bases + records }
    /// Records of entities that are new, that become another, and that stay as they are.
    package private(set) var counts = (new: 0, changed: 0, unchanged: 0)
    /// Entities that were there and are withdrawn.
    package private(set) var withdrawn = 0

    private var bases: [Change] = []
    private var records: [Change] = []
    /// What is known of each entity, with the changes of this plan.
    private var state: [EntityKey: JSONValue]
    private var seen: Set<EntityKey> = []

    /// - Parameters:
    ///   - gone: entities that are withdrawn; one that is not there stays so.
    ///   - known: the values of ``keys(of:withdrawing:)`` that the store has.
    package init(
        _ list: [some ImportedEntity], withdrawing gone: [EntityKey] = [],
        beside known: [EntityKey: JSONValue]
    ) {
        state = known
        for (place, record) in list.enumerated() {
            do throws(ImportObjection) {
                try take(record)
            } catch {
                objections.append(ImportObjection(error.message, place: place))
                guard objections.count < ImportObjection.most else { return }
            }
        }
        for key in gone {
            guard seen.insert(key).inserted else {
                objections.append(ImportObjection("the \(key.entity) \"\(key.id)\" is in the file twice"))
                return
            }
            withdraw(key)
        }
    }

    /// The entities that a plan of `list` is made from, each once.
    package static func keys(
        of list: [some ImportedEntity], withdrawing gone: [EntityKey] = []
    ) -> [EntityKey] {
        var seen: Set<EntityKey> = []
        return (list.map(\.key) + list.compactMap(\.basis) + gone).filter { seen.insert($0).inserted }
    }

    /// The records of the plan's list that change anything, in their order.
    package func changing<Record: ImportedEntity>(_ list: [Record]) -> [Record] {
        let changed = changedKeys
        return list.filter { changed.contains($0.key) || $0.basis.map(changed.contains) == true }
    }

    package var changedKeys: Set<EntityKey> { Set(written.map(\.key)) }

    private mutating func take(_ record: some ImportedEntity) throws(ImportObjection) {
        guard seen.insert(record.key).inserted else {
            throw ImportObjection("the \(record.key.entity) \"\(record.key.id)\" is in the file twice")
        }
        if let basis = record.basis { try build(record, on: basis) }
        let before = state[record.key]
        let after = try record.value(over: before)
        guard after != before else { return counts.unchanged += 1 }
        if before == nil { counts.new += 1 } else { counts.changed += 1 }
        if let former = before.map(record.key.audience), former != record.audience {
            // First the farewell: who gets both is to keep what comes last.
            records.append(Change(key: record.key, audience: former, value: nil))
        }
        records.append(
            Change(key: record.key, audience: record.audience, value: after, instead: before))
    }

    private mutating func withdraw(_ key: EntityKey) {
        guard let before = state[key] else { return counts.unchanged += 1 }
        withdrawn += 1
        records.append(
            Change(key: key, audience: key.audience(of: before), value: nil, instead: before))
    }

    private mutating func build(
        _ record: some ImportedEntity, on basis: EntityKey
    ) throws(ImportObjection) {
        guard let before = state[basis] else {
            throw ImportObjection(
                "the \(record.key.entity) \"\(record.key.id)\" names the \(basis.entity) \"\(basis.id)\", "
                    + "which the hub does not know; import \(basis.entity)s first")
        }
        let after = record.basisValue(over: before)
        guard after != before else { return }
        state[basis] = after
        bases.append(Change(key: basis, audience: basis.audience(of: after), value: after))
    }
}

extension EntityPlan {
    /// What the import came to, once the plan is carried out.
    package var outcome: ImportOutcome {
        guard objections.isEmpty else { return .refused(objections) }
        return .imported(
            new: counts.new, changed: counts.changed, unchanged: counts.unchanged, withdrawn: withdrawn)
    }

    /// The outcome of a list of which this plan is made of a part, and the others stay as they are.
    package func outcome(ofAll count: Int) -> ImportOutcome {
        // A place in the part is none in the list; the words name the record.
        guard objections.isEmpty else { return .refused(objections.map { ImportObjection($0.message) }) }
        return .imported(
            new: counts.new, changed: counts.changed,
            unchanged: count - counts.new - counts.changed - withdrawn, withdrawn: withdrawn)
    }
}
