/// One page of `GET /v1/changes`.
package struct ChangePage: Hashable, Sendable {
    /// In the order of the feed, at most 1,000. An entity may occur again on a later page; the later one is
    /// valid.
    package let changes: [Change]
    /// Signed and opaque; given back to get what follows.
    package let cursor: String
    /// Whether the hub had more rows when it made the page. If so, the terminal requests the next page at
    /// once.
    package let hasMore: Bool

    /// Makes a page; the hub signs `cursor` before it is given here.
    package init(changes: [Change], cursor: String, hasMore: Bool) {
        self.changes = changes
        self.cursor = cursor
        self.hasMore = hasMore
    }

    /// Reads a page; a missing `hasMore` is false. Throws ``ShapeError`` if one change is malformed.
    package init(json: JSONValue) throws(ShapeError) {
        var changes: [Change] = []
        for element in try json.requiredArray("changes") { changes.append(try Change(json: element)) }
        self.changes = changes
        cursor = try json.requiredString("cursor")
        hasMore = json["hasMore"]?.bool ?? false
    }

    /// `{"changes","cursor","hasMore"}` (docs/reference/http.md, section 4).
    package var json: JSONValue {
        [
            "changes": .array(changes.map(\.json)), "cursor": .string(cursor), "hasMore": .bool(hasMore),
        ]
    }
}

/// One changed entity of the feed.
package struct Change: Hashable, Sendable {
    /// `product`, `price`, `storeConfig`, ….
    package let entity: String
    /// Unique for this ``entity`` within the feed: a sku, a ULID, or a coupon's keyed digest, for example.
    package let entityId: String
    /// Assigned by the hub and raised with each change of this entity.
    package let version: Int64
    /// Whether the change is a tombstone; then ``value`` is nil.
    package let isDeleted: Bool
    /// RFC 3339; nil unless deleted.
    package let deletedAt: String?
    /// The hub's hybrid logical clock.
    package let hlc: String
    /// The terminal and mutation that made the change; nil for the hub's own.
    package let origin: JSONValue?
    /// Nil for a tombstone.
    package let value: JSONValue?

    /// Makes a change without a check; a tombstone has `deletedAt` and no `value`.
    package init(
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

    /// Reads a row of the feed; a missing `deleted` is false. Throws ``ShapeError`` without `entity`,
    /// `entityId`, `version` or `hlc`.
    package init(json: JSONValue) throws(ShapeError) {
        entity = try json.requiredString("entity")
        entityId = try json.requiredString("entityId")
        version = try json.requiredInteger("version")
        isDeleted = json["deleted"]?.bool ?? false
        deletedAt = json["deletedAt"]?.string
        hlc = try json.requiredString("hlc")
        origin = json["origin"]
        value = json["value"]
    }

    /// The row with all its members; nil is written as `null`.
    package var json: JSONValue {
        [
            "entity": .string(entity), "entityId": .string(entityId), "version": .integer(version),
            "deleted": .bool(isDeleted), "deletedAt": JSONValue(deletedAt), "hlc": .string(hlc),
            "origin": origin ?? .null, "value": value ?? .null,
        ]
    }
}
