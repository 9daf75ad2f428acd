/// One page of `GET /v1/changes`.
public struct ChangePage: Hashable, Sendable {
    public let changes: [Change]
    /// Signed and opaque; given back to get what follows.
    public let cursor: String
    public let hasMore: Bool

    public init(changes: [Change], cursor: String, hasMore: Bool) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
    }

    public init(json: JSONValue) throws(ShapeError) {
        var changes: [Change] = []
        for element in try json.requiredArray("changes") { changes.append(try Change(json: element)) }
        self.changes = changes
        cursor = try json.requiredString("cursor")
        hasMore = json["hasMore"]?.bool ?? false
    }

    public var json: JSONValue {
        [
            "changes": .array(changes.map(\.json)), "cursor": .string(cursor), "hasMore": .bool(hasMore),
        ]
    }
}

/// One changed entity of the feed.
public struct Change: Hashable, Sendable {
    /// `product`, `price`, `storeConfig`, ….
    public let entity: String
    public let entityId: String
    public let version: Int64
    public let isDeleted: Bool
    /// RFC 3339; nil unless deleted.
    public let deletedAt: String?
    /// The hub's hybrid logical clock.
    public let hlc: String
    /// The terminal and mutation that made the change; nil for the hub's own.
    public let origin: JSONValue?
    /// Nil for a tombstone.
    public let value: JSONValue?

    public init(
        entity: String, entityId: String, version: Int64, isDeleted: Bool, deletedAt: String?, hlc: String,
        origin: JSONValue?, value: JSONValue?
    ) {
        self.entity = entity
        self.entityId = entityId
        self.version = version
        self.isDeleted = isDeleted
        self.deletedAt = deletedAt
        self.hlc = hlc
        self.origin = origin
        self.value = value
    }

    public init(json: JSONValue) throws(ShapeError) {
        entity = try json.requiredString("entity")
        entityId = try json.requiredString("entityId")
        version = try json.requiredInteger("version")
        isDeleted = json["deleted"]?.bool ?? false
        deletedAt = json["deletedAt"]?.string
        hlc = try json.requiredString("hlc")
        origin = json["origin"]
        value = json["value"]
    }

    public var json: JSONValue {
        [
            "entity": .string(entity), "entityId": .string(entityId), "version": .integer(version),
            "deleted": .bool(isDeleted), "deletedAt": JSONValue(deletedAt), "hlc": .string(hlc),
            "origin": origin ?? .null, "value": value ?? .null,
        ]
    }
}
