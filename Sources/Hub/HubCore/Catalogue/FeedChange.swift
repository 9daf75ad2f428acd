public import HubProtocol

/// An entity's new state on its way into the change feed.
public struct FeedChange: Hashable, Sendable {
    /// The kind as the change feed names it, for example `"product"` or `"storeConfig"`.
    public let entity: String
    /// Unique for this kind within the chain: a sku, a coupon's code or a ULID, for example.
    public let entityId: String
    /// The store whose terminals get it; empty: all.
    public let storeId: String
    /// Milliseconds since 1970; nil unless it is a tombstone.
    public let deletedAt: Int64?
    /// The moment of the change by the hub's own clock; it decides between two writers of one field.
    public let hlc: HybridLogicalClock
    /// What it came from, such as a mutation; nil for the hub itself.
    public let origin: JSONValue?
    /// Nil for a tombstone.
    public let value: JSONValue?

    /// Makes a change. A tombstone has `deletedAt` and no `value`; every other change has a `value` alone.
    public init(
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
