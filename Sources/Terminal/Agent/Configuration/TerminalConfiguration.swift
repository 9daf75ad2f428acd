internal import OfflineCore
internal import Printing

/// The terminal's settings: the environment first, then the file, then what the store tunes from the hub,
/// then the defaults. Each has the name, the range and the default of its ``ConfigurationKey``.
struct TerminalConfiguration: Sendable, Equatable {
    var hubURL: String
    var qosURL: String
    var caFile: String?
    var allowInsecure: Bool
    var qosPoll: Duration
    var qosDwell: Duration
    var debounceRule: DebounceRule
    var debounce: Duration
    var pathDebounce: Duration
    var pingInterval: Duration
    var probeInterval: Duration
    var internetProbeURL: String?
    var recoveryHold: Duration
    var meteredInterfaces: [String]
    var isConstrained: Bool
    var consecutiveFailures: Int
    var coreAPIsFile: String?
    var onlineBudget: Duration
    var maximumQuantityMilli: Int64
    var cardTimeout: Duration
    var cashRoundingMinor: Int64
    var idleMinutes: Int64
    /// What the store lists as needing an approver; nil: it lists nothing, and the default holds.
    var listedApprovals: Set<ApprovalAction>?
    /// What file or environment add to it.
    var addedApprovals: Set<ApprovalAction>
    var discountBasisPoints: Int64
    var requestTimeout: Duration
    var pullInterval: Duration
    var maximumBackoff: Duration
    var queriesNetworkManager: Bool
    var quietHours: QuietHours?
    var batteryFloorPercent: Int
    /// Nil: by the environment of whoever looks.
    var language: BannerLanguage?
    /// Nil: no receipt is printed.
    var printer: PrinterAddress?
    var paper: PaperWidth
    var receiptLanguage: ReceiptLanguage
    var storeName: String?
    var taxNumber: String?
    var timeZone: String
    /// Whether anybody set it; UTC is wrong for most shops.
    var isTimeZoneSet: Bool
    /// Minutes after midnight.
    var businessDayStartsAtMinute: Int
}
