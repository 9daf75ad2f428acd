internal import GRDB
internal import HubCore
public import HubProtocol

extension SQLiteLedger {
    public func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings {
        try await file.read { db in try Self.settings(of: storeId, in: db) }
    }

    public func changeStoreSettings(
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

    /// The feed's own row is where the settings are kept.
    private static func settings(of storeId: String, in db: Database) throws -> StoreSettings {
        let text: String? = try db.first(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = ?1 AND store_id = ?1",
            [storeId])?[0]
        return text.map { StoreSettings(json: document($0)) } ?? StoreSettings()
    }
}
