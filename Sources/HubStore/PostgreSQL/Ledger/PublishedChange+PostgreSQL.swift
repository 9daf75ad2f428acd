internal import HubCore
internal import HubProtocol

extension PublishedChange {
    /// Moves the entity to the feed's end with its new state and the next version, unless a later moment's is
    /// there already: the last writer by the hub's clock wins, whichever came first. To be asked behind
    /// ``PostgresLock/feed``.
    var statement: PostgresStatement {
        PostgresStatement(
            "INSERT INTO changes (entity, entity_id, store_id, version, deleted_at, hlc, origin, value) "
                + "VALUES ($1, $2, $3, 1, $4, $5, $6, $7) ON CONFLICT (entity, entity_id, store_id) "
                + "DO UPDATE SET position = nextval(pg_get_serial_sequence('changes', 'position')), "
                + "version = changes.version + 1, deleted_at = excluded.deleted_at, hlc = excluded.hlc, "
                + "origin = excluded.origin, value = excluded.value WHERE changes.hlc < excluded.hlc",
            [
                .text(entity), .text(entityId), .text(storeId), .integer(deletedAt),
                .text(hlc.description), .text(origin?.canonicalText), .text(value?.canonicalText),
            ])
    }
}
