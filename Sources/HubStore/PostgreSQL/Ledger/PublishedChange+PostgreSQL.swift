internal import HubCore
internal import HubProtocol

extension PublishedChange {
    /// Moves the entity to the feed's end with its new state, the next version and a moment that is not
    /// before the last one's. To be asked behind ``PostgresLock/feed``.
    var statement: PostgresStatement {
        PostgresStatement(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value) "
                + "VALUES ($1, $2, $3, 1, $4, $5, $6, $7) ON CONFLICT (entity, entity_id, store_id) "
                + "DO UPDATE SET position = nextval(pg_get_serial_sequence('changes', 'position')), "
                + "version = changes.version + 1, deleted_at = excluded.deleted_at, hlc = GREATEST(changes.hlc, excluded.hlc), "
                + "origin = excluded.origin, value = excluded.value",
            [
                .text(entity), .text(entityId), .text(storeId), .integer(deletedAt),
                .text(hlc.description), .text(origin?.canonicalText), .text(value?.canonicalText),
            ])
    }
}
