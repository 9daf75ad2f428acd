internal import Credentials
internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol

/// An entity's new state for the change feed.
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
    /// What the entity is looked up by: the digits of a member's phone, the normal form of a coupon's code.
    let lookup: String?

    /// Since when, if that is new: for ever when the hub set it, else from this change on.
    var lookupSince: String? { lookup.map { _ in origin == nil ? "" : hlc.description } }

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
        lookup = value.flatMap { Self.lookup(of: entity, entityId, $0) }
    }

    private static func lookup(of entity: String, _ id: String, _ value: JSONValue) -> String? {
        switch entity {
        case "member": value["phone"]?.string.flatMap { MemberRecord.lookupDigits(of: $0) }
        case "coupon": CouponCode.normalForm(of: id)
        case _: nil
        }
    }

    init(_ change: FeedChange) {
        self.init(
            entity: change.entity, entityId: change.entityId, storeId: change.storeId,
            deletedAt: change.deletedAt, hlc: change.hlc, origin: change.origin, value: change.value)
    }

    /// What an import makes of an entity.
    ///
    /// - Parameter now: when, in milliseconds since 1970.
    init(_ change: EntityPlan.Change, at now: Int64, hlc: HybridLogicalClock) {
        self.init(
            entity: change.key.entity, entityId: change.key.id, storeId: change.audience,
            deletedAt: change.value == nil ? now : nil, hlc: hlc, origin: nil, value: change.value)
    }

    /// A withdrawn article, for every store.
    init(withdrawnProduct sku: String, at now: Int64, hlc: HybridLogicalClock) {
        self.init(
            entity: "product", entityId: sku, storeId: "", deletedAt: now, hlc: hlc, origin: nil, value: nil)
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
        let before = try DirectStatement(
            "DELETE FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ? "
                + "RETURNING version, lookup, lookup_since", in: self
        ).first({ change.addKey(to: &$0) }) { ($0.integer(0), $0.optionalText(1), $0.optionalText(2)) }
        let keepsLookup = before.map { $0.1 == change.lookup } ?? false
        try DirectStatement(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value, "
                + "lookup, lookup_since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: self
        ).run { row in
            change.addKey(to: &row)
            row.add((before?.0 ?? 0) + 1)
            row.add(change.deletedAt)
            row.add(change.hlc.description)
            row.add(change.origin)
            row.add(change.value)
            row.add(change.lookup)
            row.add(keepsLookup ? before?.2 : change.lookupSince)
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
