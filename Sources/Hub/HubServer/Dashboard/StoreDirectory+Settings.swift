internal import Dashboard
internal import HubProtocol
internal import HubStore

extension StoreDirectory {
    /// What the stores have set.
    init(of ledger: any Ledger) async throws(LedgerError) {
        var stores: [String: StoreFacts] = [:]
        for row in try await ledger.rows(of: BackOfficeQuery.storeSettings) {
            let settings = StoreSettings(json: JSONValue.stored(row.text("value"))).values
            func text(_ key: String) -> String { settings[key]?.string ?? "" }
            stores[row.text("entity_id") ?? ""] = StoreFacts(
                name: text("store.name"), place: text(StoreSetting.place.key),
                telephone: text(StoreSetting.telephone.key), clock: StoreClock(settings))
        }
        self.init(stores)
    }
}

extension StoreClock {
    /// Nil without a time zone that this machine knows. A day begins at four, as at the terminals, where the
    /// store does not say.
    fileprivate init?(_ settings: JSONObject) {
        guard let zone = settings["store.timeZone"]?.string.flatMap(PageZone.init) else { return nil }
        let parts = (settings["store.businessDayStartsAt"]?.string ?? "04:00").split(separator: ":")
            .compactMap { Int64($0) }
        self.init(zone: zone, dayStartsAt: parts.count == 2 ? (parts[0] * 60 + parts[1]) * 60_000 : 0)
    }
}
