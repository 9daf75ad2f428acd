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
    let origin: JSONValue?
    let value: JSONValue?
}

extension Database {
    /// Moves the entity to the feed's end with its new state and the next version.
    func publish(_ change: PublishedChange) throws {
        let key: StatementArguments = [change.entity, change.entityId, change.storeId]
        let version: Int64? = try first(
            "SELECT version FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ?", key)?[0]
        try run("DELETE FROM changes WHERE entity = ? AND entity_id = ? AND store_id = ?", key)
        try run(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                change.entity, change.entityId, change.storeId, (version ?? 0) + 1, change.deletedAt,
                change.hlc.description, change.origin?.canonicalText, change.value?.canonicalText,
            ])
    }
}
