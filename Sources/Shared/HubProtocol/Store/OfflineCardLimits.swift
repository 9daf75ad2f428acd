/// Up to which amounts a terminal takes cards and wallets without any payment service, as tokens that the hub
/// forwards later: `offlineCard` in `storeConfig`. Amounts are minor units.
package struct OfflineCardLimits: Hashable, Sendable {
    /// The key of ``perSale``.
    package static let perSaleKey = "offlineCard.perSale"
    /// The key of ``perShift``.
    package static let perShiftKey = "offlineCard.perShift"
    /// The key of ``perTerminal``.
    package static let perTerminalKey = "offlineCard.perTerminal"
    /// The key of ``perStore``.
    package static let perStoreKey = "offlineCard.perStore"
    /// The key of ``maximumAgeMinutes``.
    package static let maximumAgeKey = "offlineCard.maxAgeMinutes"
    /// A day: an outage of a night and a day more is one that people know of. Halved, the second shift takes
    /// no cards; doubled, tokens may be too old for the issuer.
    package static let standardAgeMinutes: Int64 = 1_440

    package let perSale: Int64
    /// Of one shift, and without an open one of a business day.
    package let perShift: Int64
    /// Of all that is not forwarded.
    package let perTerminal: Int64
    /// Of all terminals of the store that is not forwarded, lent to them as leases; nil: no such limit.
    package let perStore: Int64?
    /// How old the oldest token may be that is not forwarded.
    package let maximumAgeMinutes: Int64

    package init(
        perSale: Int64, perShift: Int64, perTerminal: Int64, perStore: Int64? = nil,
        maximumAgeMinutes: Int64 = standardAgeMinutes
    ) {
        self.perSale = perSale
        self.perShift = perShift
        self.perTerminal = perTerminal
        self.perStore = perStore
        self.maximumAgeMinutes = maximumAgeMinutes
    }

    /// Those of a store; nil unless it sets all three amounts: then no card is taken offline.
    package init?(_ settings: StoreSettings) {
        guard let perSale = settings.values[Self.perSaleKey]?.integer, perSale > 0,
            let perShift = settings.values[Self.perShiftKey]?.integer, perShift > 0,
            let perTerminal = settings.values[Self.perTerminalKey]?.integer, perTerminal > 0
        else { return nil }
        self.init(
            perSale: perSale, perShift: perShift, perTerminal: perTerminal,
            perStore: Self.perStore(of: settings),
            maximumAgeMinutes: max(
                1, settings.values[Self.maximumAgeKey]?.integer ?? Self.standardAgeMinutes))
    }

    /// The limit of a store that all its terminals have together; nil: none.
    package static func perStore(of settings: StoreSettings) -> Int64? {
        settings.values[perStoreKey]?.integer.flatMap { $0 > 0 ? $0 : nil }
    }
}
