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
    /// Nil without a time zone that this machine knows.
    fileprivate init?(_ settings: JSONObject) {
        guard let zone = settings["store.timeZone"]?.string.flatMap(PageZone.init) else { return nil }
        self.init(
            zone: zone,
            begin: settings[BusinessDayBegin.key]?.string.flatMap(BusinessDayBegin.init) ?? .standard)
    }
}
