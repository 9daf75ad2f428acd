public import OfflineCore
public import Printing

/// The terminal's settings: the environment first, then the file, then what the store tunes from the hub,
/// then the defaults.
public struct TerminalConfiguration: Sendable, Equatable {
    public var hubURL: String
    public var qosURL: String
    public var caFile: String?
    public var allowInsecure: Bool
    public var qosPoll: Duration
    public var qosDwell: Duration
    public var debounceRule: DebounceRule
    public var debounce: Duration
    public var pathDebounce: Duration
    public var pingInterval: Duration
    public var probeInterval: Duration
    public var internetProbeURL: String?
    public var recoveryHold: Duration
    public var meteredInterfaces: [String]
    public var isConstrained: Bool
    public var consecutiveFailures: Int
    public var coreAPIsFile: String?
    public var onlineBudget: Duration
    public var maximumQuantityMilli: Int64
    public var cardTimeout: Duration
    public var cashRoundingMinor: Int64
    public var idleMinutes: Int64
    /// What the store lists as needing an approver; nil: it lists nothing, and the default holds.
    public var listedApprovals: Set<ApprovalAction>?
    /// What file or environment add to it.
    public var addedApprovals: Set<ApprovalAction>
    public var discountBasisPoints: Int64
    public var requestTimeout: Duration
    public var pullInterval: Duration
    public var maximumBackoff: Duration
    public var queriesNetworkManager: Bool
    public var quietHours: QuietHours?
    public var batteryFloorPercent: Int
    /// Nil: by the environment of whoever looks.
    public var language: BannerLanguage?
    /// Nil: no receipt is printed.
    public var printer: PrinterAddress?
    public var paper: PaperWidth
    public var receiptLanguage: ReceiptLanguage
    public var storeName: String?
    public var taxNumber: String?
    public var timeZone: String
    /// Whether anybody set it; UTC is wrong for most shops.
    public var isTimeZoneSet: Bool
    /// Minutes after midnight.
    public var businessDayStartsAtMinute: Int
}
