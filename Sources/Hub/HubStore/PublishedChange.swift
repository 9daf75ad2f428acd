internal import Credentials
package import HubCore
package import HubProtocol

/// An entity's new state for the change feed.
package struct PublishedChange: Sendable {
    package let entity: String
    package let entityId: String
    /// Empty: for every store.
    package let storeId: String
    /// Nil unless it is a tombstone.
    package let deletedAt: Int64?
    package let hlc: HybridLogicalClock
    /// Documents in canonical form.
    package let origin: String?
    package let value: String?
    /// What the entity is looked up by: the digits of a member's phone, the normal form of a coupon's code,
    /// store and sku of a price, listing or stock.
    package let lookup: String?

    /// Since when, if that is new: for ever when the hub set it, else from this change on.
    package var lookupSince: String? { lookup.map { _ in origin == nil ? "" : hlc.description } }

    package init(
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
        case PriceRecord.entity, ListingRecord.entity, StockRecord.entity:
            value["sku"]?.string.map { SellingTerms.lookup(of: $0, in: value["storeId"]?.string) }
        case _: nil
        }
    }

    package init(_ change: FeedChange) {
        self.init(
            entity: change.entity, entityId: change.entityId, storeId: change.storeId,
            deletedAt: change.deletedAt, hlc: change.hlc, origin: change.origin, value: change.value)
    }

    /// What an import makes of an entity.
    ///
    /// - Parameter now: when, in milliseconds since 1970.
    package init(_ change: EntityPlan.Change, at now: Int64, hlc: HybridLogicalClock) {
        self.init(
            entity: change.key.entity, entityId: change.key.id, storeId: change.audience,
            deletedAt: change.value == nil ? now : nil, hlc: hlc, origin: nil, value: change.value)
    }

    /// A withdrawn article, for every store.
    package init(withdrawnProduct sku: String, at now: Int64, hlc: HybridLogicalClock) {
        self.init(
            entity: "product", entityId: sku, storeId: "", deletedAt: now, hlc: hlc, origin: nil, value: nil)
    }

    /// An imported article, for every store.
    package init(_ dated: DatedArticle) {
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

extension PublishedChange {
    /// The settings of a store that tunes nothing.
    package init(emptySettingsOf storeId: String, hlc: HybridLogicalClock) {
        self.init(
            entity: "storeConfig", entityId: storeId, storeId: storeId, deletedAt: nil, hlc: hlc, origin: nil,
            value: [:])
    }
}
