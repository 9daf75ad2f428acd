internal import Base
internal import Credentials
internal import Foundation
internal import HubCore
package import HubProtocol

/// The secrets by which the terminals of a store look coupons and phones up.
extension Ledger {
    /// Empty for a store that tunes nothing, an unknown one included. Reads the store's row `storeConfig` of
    /// the change feed, where the settings are kept.
    package func storeSettings(of storeId: String) async throws(LedgerError) -> StoreSettings {
        try await read { session in try session.settings(of: storeId) ?? StoreSettings() }
    }

    /// Changes settings by their keys, null taking one back, and puts what holds then into the store's feed.
    /// Reads and publishes in one transaction, so two hubs that change different keys keep both changes;
    /// equal settings publish nothing.
    ///
    /// - Returns: what holds then.
    package func changeStoreSettings(
        _ changes: JSONObject, of storeId: String, at now: Int64
    ) async throws(LedgerError) -> StoreSettings {
        try await publish(1, at: now, isLong: false) { session, clock in
            let before = try session.settings(of: storeId) ?? StoreSettings()
            let after = before.changed(by: changes)
            guard after != before else { return .undo(after) }
            clock.tick(now: now)
            try session.publish([
                PublishedChange(
                    entity: "storeConfig", entityId: storeId, storeId: storeId, deletedAt: nil, hlc: clock,
                    origin: nil, value: after.json)
            ])
            return .keep(after)
        }
    }

    /// A store's keys, made when it has none; with them comes a `storeConfig` into the store's feed, if there
    /// was none, to carry them. A read once the keys exist; else one transaction makes them, so all hubs get
    /// the same.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func storeKeys(of storeId: String, at now: Int64) async throws(LedgerError) -> StoreLookupKeys {
        if let known = try await read({ session in try session.keys(of: storeId) }) { return known }
        return try await publish(1, at: now, isLong: false) { session, clock in
            // Another hub may have made them meanwhile.
            if let known = try session.keys(of: storeId) { return .undo(known) }
            let keys = StoreLookupKeys.fresh
            try session.run(
                "INSERT INTO store_keys (store_id, coupon_key, phone_key) VALUES ($1, $2, $3)",
                [storeId, keys.couponKey, keys.phoneKey])
            if try session.settings(of: storeId) == nil {
                clock.tick(now: now)
                try session.publish([PublishedChange(emptySettingsOf: storeId, hlc: clock)])
            }
            return .keep(keys)
        }
    }
}

extension StoreSession {
    fileprivate func keys(of storeId: String) throws -> StoreLookupKeys? {
        try first("SELECT coupon_key, phone_key FROM store_keys WHERE store_id = $1", [storeId])
            .map { try StoreLookupKeys(couponKey: $0[0], phoneKey: $0[1]) }
    }

    /// The business day of a store at a moment of the hub's clock, `YYYY-MM-DD`, as its terminals have it.
    ///
    /// - Parameters:
    ///   - storeId: nil: without settings.
    ///   - now: milliseconds since 1970.
    func businessDay(of storeId: String?, at now: Int64) throws -> String {
        (try storeId.flatMap { try settings(of: $0) } ?? StoreSettings()).businessDay(at: now)
    }

    /// The feed's own row is where the settings are kept; nil without one.
    fileprivate func settings(of storeId: String) throws -> StoreSettings? {
        let text: String? = try first(
            "SELECT value FROM changes WHERE entity = 'storeConfig' AND entity_id = $1 AND store_id = $1",
            [storeId])?[0]
        return text.map { StoreSettings(json: JSONValue.stored($0)) }
    }
}

extension StoreSettings {
    /// Time zone and begin of the day are those of terminals without them.
    fileprivate func businessDay(at now: Int64) -> String {
        let zone = values["store.timeZone"]?.string.flatMap(TimeZone.init(identifier:))
        let begin = values[BusinessDayBegin.key]?.string.flatMap(BusinessDayBegin.init) ?? .standard
        let day = begin.day(at: now) { second in
            zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))) ?? 0
        }
        return SaleEntry.day(receivedAt: day * 1_000)
    }
}

extension StoreLookupKeys {
    /// New random ones.
    package static var fresh: StoreLookupKeys {
        StoreLookupKeys(couponKey: LookupKey().base64, phoneKey: LookupKey().base64)
    }
}
