package import HubProtocol

/// An entity's new state on its way into the change feed.
package struct FeedChange: Hashable, Sendable {
    /// The kind as the change feed names it, for example `"product"` or `"storeConfig"`.
    package let entity: String
    /// Unique for this kind within the chain: a sku, a coupon's code or a ULID, for example.
    package let entityId: String
    /// The store whose terminals get it; empty: all.
    package let storeId: String
    /// Milliseconds since 1970; nil unless it is a tombstone.
    package let deletedAt: Int64?
    /// The moment of the change by the hub's own clock; it decides between two writers of one field.
    package let hlc: HybridLogicalClock
    /// What it came from, such as a mutation; nil for the hub itself.
    package let origin: JSONValue?
    /// Nil for a tombstone.
    package let value: JSONValue?

    /// Makes a change. A tombstone has `deletedAt` and no `value`; every other change has a `value` alone.
    package init(
        entity: String, entityId: String, storeId: String, deletedAt: Int64?, hlc: HybridLogicalClock,
        origin: JSONValue?, value: JSONValue?
    ) {
        self.entity = entity
        self.entityId = entityId
        self.storeId = storeId
        self.deletedAt = deletedAt
        self.hlc = hlc
        self.origin = origin
        self.value = value
    }
}
