internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol

/// An entity's new state on its way into the change feed.
struct PublishedChange {
    let entity: String
    let entityId: String
    /// Empty: for every store.
    let storeId: String
    /// Nil unless it is a tombstone.
    let deletedAt: Int64?
    let hlc: HybridLogicalClock
    /// Documents in canonical form.
    let origin: String?
    let value: String?
    /// What the entity is looked up by: the digits of a member's phone.
    let lookup: String?

    init(
        entity: String, entityId: String, storeId: String, deletedAt: Int64?, hlc: HybridLogicalClock,
        origin: JSONValue?, value: JSONValue?
    ) {
        self.entity = entity
        self.entityId = entityId
        self.storeId = storeId
        self.deletedAt = deletedAt
        self.hlc = hlc
        self.origin = origin?.canonicalText
        self.value = value?.canonicalText
        lookup =
            entity == "member"
            ? value?["phone"]?.string.flatMap { MemberRecord.lookupDigits(of: $0) } : nil
    }

    /// What an import makes of an entity, for every store.
    init(_ change: EntityPlan.Change, at hlc: HybridLogicalClock) {
        self.init(
            entity: change.key.entity, entityId: change.key.id, storeId: "", deletedAt: nil, hlc: hlc,
            origin: nil, value: change.value)
    }

    /// An imported article, for every store.
    init(_ dated: DatedArticle) {
        entity = "product"
        entityId = dated.article.product.sku
        storeId = ""
        deletedAt = nil
        hlc = dated.hlc
        origin = nil
        value = dated.article.record
        lookup = nil
    }
}

extension Database {
    /// Moves the entity to the feed's end with its new state and the next version.
    func publish(_ change: PublishedChange) throws {
        let version = try DirectStatement(
            "DELETE FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ? RETURNING version",
            in: self
        ).first({ change.addKey(to: &$0) }) { $0.integer(0) }
        try DirectStatement(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value, "
                + "lookup) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", in: self
        ).run { row in
            change.addKey(to: &row)
            row.add((version ?? 0) + 1)
            row.add(change.deletedAt)
            row.add(change.hlc.description)
            row.add(change.origin)
            row.add(change.value)
            row.add(change.lookup)
        }
    }
}

extension PublishedChange {
    fileprivate func addKey(to row: inout Bindings) {
        row.add(entity)
        row.add(entityId)
        row.add(storeId)
    }
}
