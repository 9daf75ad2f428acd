internal import HubCore
package import HubProtocol
package import HubStore

extension PostgresLedger {
    /// Reads the store's row `storeConfig` of the change feed, without a lock.
    package func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings {
        try await database.perform { connection throws(PostgresError) in
            try Self.settings(of: storeId, on: connection)
        }
    }

    /// Behind the feed's lock, so two hubs that change different keys keep both changes.
    package func changeStoreSettings(
        _ changes: JSONObject, of storeId: String, at now: Int64
    ) async throws(LedgerError) -> StoreSettings {
        try await database.perform { connection throws(PostgresError) in
            // One change after the other, each at a later moment, so that two that come together both stay.
            try PostgresLock.feed.held(on: connection) { () throws(PostgresError) in
                var clock = try PostgresClock.reserve(1, at: now, on: connection)
                clock.tick(now: now)
                return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                    let before = try Self.settings(of: storeId, on: connection)
                    let after = before.changed(by: changes)
                    guard after != before else { return .undo(after) }
                    let change = PublishedChange(
                        entity: "storeConfig", entityId: storeId, storeId: storeId, deletedAt: nil,
                        hlc: clock, origin: nil, value: after.json)
                    try connection.query([change.statement])
                    return .keep(after)
                }
            }
        }
    }

    /// A read once the keys exist; else they are made behind the feed's lock, so all hubs get the same.
    package func storeKeys(of storeId: String, at now: Int64) async throws(LedgerError) -> StoreLookupKeys {
        try await database.perform { connection throws(PostgresError) in
            if let known = try Self.keys(of: storeId, on: connection) { return known }
            return try PostgresLock.feed.held(on: connection) { () throws(PostgresError) in
                var clock = try PostgresClock.reserve(1, at: now, on: connection)
                clock.tick(now: now)
                return try PostgresDatabase.write(on: connection) { () throws(PostgresError) in
                    // Another hub may have made them meanwhile.
                    if let known = try Self.keys(of: storeId, on: connection) { return .undo(known) }
                    let keys = StoreLookupKeys.fresh
                    try connection.query(
                        "INSERT INTO store_keys (store_id, coupon_key, phone_key) VALUES ($1, $2, $3)",
                        [.text(storeId), .text(keys.couponKey), .text(keys.phoneKey)])
                    if try Self.settingsText(of: storeId, on: connection) == nil {
                        try connection.query([PublishedChange(emptySettingsOf: storeId, hlc: clock).statement]
                        )
                    }
                    return .keep(keys)
                }
            }
        }
    }

    private static func keys(
        of storeId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> StoreLookupKeys? {
        let row = try connection.query(
            "SELECT coupon_key, phone_key FROM store_keys WHERE store_id = $1", [.text(storeId)]
        ).first
        return try row.map { row throws(PostgresError) in
            StoreLookupKeys(couponKey: try row.text("coupon_key"), phoneKey: try row.text("phone_key"))
        }
    }

    private static func settings(
        of storeId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> StoreSettings {
        try settingsText(of: storeId, on: connection).map { StoreSettings(json: JSONValue.stored($0)) }
            ?? StoreSettings()
    }

    /// The feed's own row is where the settings are kept.
    private static func settingsText(
        of storeId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> String? {
        try connection.query(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = $1 AND store_id = $1",
            [.text(storeId)]
        ).first?.optionalText(0)
    }
}
