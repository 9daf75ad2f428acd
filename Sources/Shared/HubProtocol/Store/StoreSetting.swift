internal import Base

/// A key of the terminal's configuration that a store may tune from the hub.
package struct StoreSetting: Hashable, Sendable {
    /// The form of a setting's value.
    package enum Kind: Hashable, Sendable {
        case integer(ClosedRange<Int64>)
        /// One line of at most 200 bytes.
        case line
        /// A name of the tz database.
        case timeZone
        /// `HH:MM`.
        case timeOfDay
        /// `HH:MM-HH:MM`.
        case quietHours
        case oneOf([String])
        /// A list of these names, each at most once.
        case words([String])
        /// ``BarcodeRule``s with commas between them.
        case barcodeRules
        /// A ``TenderList``.
        case tenders
    }

    /// As in the terminal's configuration.
    package let key: String
    /// What a value has to be; ``expected`` is the same as text.
    package let kind: Kind
    /// Whether the hub alone acts on it; terminals leave it aside.
    package let isForHub: Bool
    /// Whether the store alone sets it: a terminal's own file has no such key.
    package let isOfStoreAlone: Bool

    /// Whether terminals of the store are sent the names of members.
    package static let memberNames = StoreSetting("members.names", .oneOf(["off", "on"]), isForHub: true)

    /// How much of what is not leased one terminal is lent at once, in hundredths of a percent.
    package static let leaseShare = StoreSetting(
        "points.leaseShareBasisPoints", .integer(1...10_000), isForHub: true)

    /// After how many days without a sign of life of a terminal its expired leases are released. None by
    /// default: then a person decides. A week at least, since a closed shop comes back.
    package static let leaseRelease = StoreSetting(
        "leases.releaseAfterDays", .integer(7...3_650), isForHub: true)

    /// Where the store is, as the hub's pages show it; no receipt prints it.
    package static let place = StoreSetting("store.place", .line, isForHub: true)

    /// Whom to call there.
    package static let telephone = StoreSetting("store.telephone", .line, isForHub: true)

    /// Whether the tills of the store see each other.
    package static let neighbours = StoreSetting("neighbours.enabled", .oneOf(["off", "on"]))

    /// Every such key; kinds and ranges are those of the terminal's configuration, which has all but
    /// those that are for the hub.
    package static let all = [
        StoreSetting("network.debounceSeconds", .integer(1...120)),
        StoreSetting("network.pathDebounceSeconds", .integer(1...120)),
        StoreSetting("network.pingIntervalSeconds", .integer(1...3600)),
        StoreSetting("network.probeIntervalSeconds", .integer(1...3600)),
        StoreSetting("network.recoveryHoldSeconds", .integer(1...600)),
        StoreSetting("service.consecutiveFailures", .integer(1...1000)),
        StoreSetting("checkout.onlineBudgetMilliseconds", .integer(100...60_000)),
        StoreSetting("checkout.maximumQuantityMilli", .integer(1...1_000_000_000_000)),
        StoreSetting("checkout.cardTimeoutSeconds", .integer(1...300)),
        StoreSetting("checkout.equalScans", .oneOf(["apart", "together"])),
        StoreSetting("cash.roundingMinor", .integer(1...10_000)),
        StoreSetting("account.idleMinutes", .integer(1...1440)),
        StoreSetting("account.approvals", .words(approvals)),
        StoreSetting("account.discountBasisPoints", .integer(0...10_000)),
        StoreSetting("shift.required", .oneOf(["off", "on"])),
        StoreSetting("shift.toleratedDifference", .integer(0...1_000_000_000_000)),
        StoreSetting("shift.blindCount", .oneOf(["off", "on"])),
        StoreSetting("barcode.rules", .barcodeRules),
        StoreSetting("refund.withoutOrder.perRefund", .integer(0...1_000_000_000_000)),
        StoreSetting("refund.withoutOrder.perDay", .integer(0...1_000_000_000_000)),
        StoreSetting("points.earnEveryMinor", .integer(0...1_000_000_000_000)),
        StoreSetting("points.valueMinor", .integer(0...1_000_000_000_000)),
        StoreSetting("points.minimumSpend", .integer(0...1_000_000_000_000)),
        leaseShare, leaseRelease, neighbours,
        StoreSetting("sync.pullSeconds", .integer(1...86_400)),
        StoreSetting("policy.quietHours", .quietHours),
        StoreSetting("policy.batteryFloorPercent", .integer(0...100)),
        StoreSetting("store.name", .line), StoreSetting("store.taxNumber", .line), place, telephone,
        StoreSetting("store.timeZone", .timeZone), StoreSetting(BusinessDayBegin.key, .timeOfDay),
        StoreSetting("store.countryCode", .integer(0...999)),
        StoreSetting("display.language", .oneOf(Language.allCases.map(\.rawValue))), memberNames,
        StoreSetting(TenderList.key, .tenders, isOfStoreAlone: true),
        StoreSetting(OfflineCardLimits.perSaleKey, .integer(0...1_000_000_000_000), isOfStoreAlone: true),
        StoreSetting(OfflineCardLimits.perShiftKey, .integer(0...1_000_000_000_000), isOfStoreAlone: true),
        StoreSetting(OfflineCardLimits.perTerminalKey, .integer(0...1_000_000_000_000), isOfStoreAlone: true),
        StoreSetting(OfflineCardLimits.perStoreKey, .integer(0...1_000_000_000_000), isOfStoreAlone: true),
        StoreSetting(OfflineCardLimits.maximumAgeKey, .integer(1...525_600), isOfStoreAlone: true),
    ]

    /// What may need an approver.
    private static let approvals = [
        "refund", "void", "priceOverride", "discount", "manualOffline", "noSale", "cardOffline",
        "cashMovement", "refusals", "openItem", "refundLimit", "cartCopy", "cardDecision",
    ]

    /// The setting called `key`; nil when the hub may not tune it.
    package static func named(_ key: String) -> StoreSetting? { all.first { $0.key == key } }

    private init(_ key: String, _ kind: Kind, isForHub: Bool = false, isOfStoreAlone: Bool = false) {
        self.key = key
        self.kind = kind
        self.isForHub = isForHub
        self.isOfStoreAlone = isOfStoreAlone
    }

    /// `text` as a value of this setting's kind of JSON; nil for a number that is none. Ranges and forms are
    /// not looked at.
    package func value(of text: String) -> JSONValue? {
        switch kind {
        case .integer: Int64(text).map(JSONValue.integer)
        case .line, .timeZone, .timeOfDay, .quietHours, .oneOf, .barcodeRules: .string(text)
        case .tenders: try? JSONParser.parse(text.utf8)
        case .words:
            text.hasPrefix("[")
                ? try? JSONParser.parse(text.utf8)
                : .array(text.split(separator: ",").map { .string(String($0)) })
        }
    }

    /// What a value must be, as text.
    package var expected: String {
        switch kind {
        case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .line: "one line of at most 200 bytes"
        case .timeZone: "an IANA name such as Asia/Shanghai"
        case .timeOfDay: "a time of day such as 04:00"
        case .quietHours: "an interval such as 22:00-06:00"
        case .oneOf(let words): words.joined(separator: " or ")
        case .words(let words): "a list, with commas, out of \(words.joined(separator: ", "))"
        case .barcodeRules: BarcodeRule.expected
        case .tenders: TenderList.expected
        }
    }
}
