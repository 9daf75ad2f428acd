internal import Credentials
internal import GRDB
internal import HubCore
package import HubProtocol
package import HubStore

extension SQLiteLedger {
    /// Reads the store's row `storeConfig` of the change feed, where the settings are kept.
    package func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings {
        try await file.read { db in try Self.settings(of: storeId, in: db) }
    }

    /// Reads and publishes in one write transaction; equal settings publish nothing.
    package func changeStoreSettings(
        _ changes: JSONObject, of storeId: String, at now: Int64
    ) async throws(LedgerError) -> StoreSettings {
        try await writer.write { db in
            let before = try Self.settings(of: storeId, in: db)
            let after = before.changed(by: changes)
            guard after != before else { return .keep(after) }
            let intake = SQLiteIntake(db: db)
            var clock = try intake.clock()
            clock.tick(now: now)
            try db.publish(
                PublishedChange(
                    entity: "storeConfig", entityId: storeId, storeId: storeId, deletedAt: nil, hlc: clock,
                    origin: nil, value: after.json))
            try intake.save(clock)
            return .keep(after)
        }
    }

    /// A read once the keys exist; else one write transaction makes them, so two calls get the same.
    package func storeKeys(of storeId: String, at now: Int64) async throws(LedgerError) -> StoreLookupKeys {
        if let known = try await file.read({ db in try Self.keys(of: storeId, in: db) }) { return known }
        return try await writer.write { db in
            if let known = try Self.keys(of: storeId, in: db) { return .keep(known) }
            let keys = StoreLookupKeys.fresh
            try db.run(
                "INSERT INTO store_keys (store_id, coupon_key, phone_key) VALUES (?, ?, ?)",
                [storeId, keys.couponKey, keys.phoneKey])
            if try Self.settingsText(of: storeId, in: db) == nil {
                let intake = SQLiteIntake(db: db)
                var clock = try intake.clock()
                clock.tick(now: now)
                try db.publish(PublishedChange(emptySettingsOf: storeId, hlc: clock))
                try intake.save(clock)
            }
            return .keep(keys)
        }
    }

    private static func keys(of storeId: String, in db: Database) throws -> StoreLookupKeys? {
        try db.first("SELECT coupon_key, phone_key FROM store_keys WHERE store_id = ?", [storeId])
            .map { StoreLookupKeys(couponKey: $0["coupon_key"], phoneKey: $0["phone_key"]) }
    }

    private static func settings(of storeId: String, in db: Database) throws -> StoreSettings {
        try settingsText(of: storeId, in: db).map { StoreSettings(json: JSONValue.stored($0)) }
            ?? StoreSettings()
    }

    /// The feed's own row is where the settings are kept.
    private static func settingsText(of storeId: String, in db: Database) throws -> String? {
        try db.first(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = ?1 AND store_id = ?1",
            [storeId])?[0]
    }
}
