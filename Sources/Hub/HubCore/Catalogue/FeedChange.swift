public import HubProtocol

/// An entity's new state on its way into the change feed.
public struct FeedChange: Hashable, Sendable {
    public let entity: String
    public let entityId: String
    /// The store whose terminals get it; empty: all.
    public let storeId: String
    /// Milliseconds since 1970; nil unless it is a tombstone.
    public let deletedAt: Int64?
    public let hlc: HybridLogicalClock
    /// What it came from, such as a mutation; nil for the hub itself.
    public let origin: JSONValue?
    /// Nil for a tombstone.
    public let value: JSONValue?

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
