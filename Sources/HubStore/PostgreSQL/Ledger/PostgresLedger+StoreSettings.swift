internal import HubCore
public import HubProtocol

extension PostgresLedger {
    public func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings {
        try await database.ask { connection throws(PostgresError) in
            try Self.settings(of: storeId, on: connection)
        }
    }

    public func changeStoreSettings(
        _ changes: JSONObject, of storeId: String, at now: Int64
    ) async throws(LedgerError) -> StoreSettings {
        try await database.ask { connection throws(PostgresError) in
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
                    try connection.ask([change.statement])
                    return .keep(after)
                }
            }
        }
    }

    /// The feed's own row is where the settings are kept.
    private static func settings(
        of storeId: String, on connection: PostgresConnection
    ) throws(PostgresError) -> StoreSettings {
        let text = try connection.ask(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = $1 AND store_id = $1",
            [.text(storeId)]
        ).first?.optionalText(0)
        return text.map { StoreSettings(json: document($0)) } ?? StoreSettings()
    }
}
