internal import Base
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Printing
internal import Retail
internal import TerminalStore

/// The terminal's settings: the environment first, then the file, then what the store tunes from the hub,
/// then the defaults. Each has the name, the range and the default of its ``ConfigurationKey``.
struct TerminalConfiguration: Sendable, Equatable {
    var hubURL: String
    var qosURL: String
    var caFile: String?
    var allowInsecure: Bool
    var qosPoll: Duration
    var qosDwell: Duration
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
    var joinsEqualScans: Bool
    var barcodeRules: [BarcodeRule]
    var cashRoundingMinor: Int64
    var idleMinutes: Int64
    /// What the store lists as needing an approver; nil: it lists nothing, and the default holds.
    var listedApprovals: Set<ApprovalAction>?
    /// What file or environment add to it.
    var addedApprovals: Set<ApprovalAction>
    var discountBasisPoints: Int64
    var requiresShift: Bool
    var toleratedDifference: RefundLimitSettings.Limit
    var countsBlind: Bool
    /// `refund.withoutOrder.perRefund` and `.perDay`.
    var refundLimits: RefundLimitSettings
    /// `points.*`.
    var points: PointsScheme
    var requestTimeout: Duration
    var pullInterval: Duration
    var maximumBackoff: Duration
    var quietHours: QuietHours?
    var batteryFloorPercent: Int
    /// `retention.*`, every kind.
    var keptDays: [TerminalRetention: Int64] = [:]
    /// Nil: by the environment of whoever looks.
    var language: Language?
    /// Nil: no receipt is printed.
    var printer: PrinterAddress?
    /// Nil: the terminal has no card machine of its own.
    var cardMachine: CardMachineSettings?
    var neighbours: NeighbourSettings
    var paper: PaperWidth
    var receiptLanguage: Language
    var storeName: String?
    var taxNumber: String?
    /// 0: not known.
    var countryCode: Int
    var timeZone: String
    /// Whether anybody set it; UTC is wrong for most shops.
    var isTimeZoneSet: Bool
    /// Minutes after midnight.
    var businessDayBegin: BusinessDayBegin
}

/// The settings as the machines and the business layer take them.
extension TerminalConfiguration {
    /// What is wrong while nobody has set `store.timeZone`.
    static let timeZoneWarning =
        "store.timeZone is not set: receipts and the business day follow UTC; set it in terminal.json, or for the "
        + "whole store with `pos-hub store-config set`"

    var offlineSettings: OfflineSettings {
        var network = NetworkSettings()
        network.debounce = debounce
        network.pathDebounce = pathDebounce
        network.pingInterval = pingInterval
        network.probeInterval = probeInterval
        network.requestTimeout = requestTimeout
        network.recoveryHold = recoveryHold
        network.recoveryHoldCap = max(network.recoveryHoldCap, recoveryHold)
        network.probesInternet = internetProbeURL != nil
        var service = ServiceSettings()
        service.consecutiveFailures = consecutiveFailures
        service.pollInterval = qosPoll
        service.dwell = qosDwell
        return OfflineSettings(network: network, service: service)
    }

    var policySettings: PolicySettings {
        PolicySettings(quietHours: quietHours, batteryFloorPercent: batteryFloorPercent)
    }

    var outboxSettings: OutboxSettings {
        OutboxSettings(maximumBackoff: maximumBackoff)
    }

    /// - Parameter store: what the store and its hub alone decide: the payment service, tenders and limits.
    func checkoutPolicy(
        storeId: String, store: StoreSettings = StoreSettings()
    ) throws(TerminalError) -> CheckoutPolicy {
        guard
            let calendar = BusinessCalendar(timeZone: timeZone, begin: businessDayBegin)
        else {
            throw TerminalError(.unusable, code: "configuration_value") { $0.timeZoneUnknown(timeZone) }
        }
        var policy = CheckoutPolicy(
            calendar: calendar, receiptHeader: [storeName ?? storeId] + [taxNumber].compactMap(\.self))
        policy.maximumQuantityMilli = maximumQuantityMilli
        if let language { policy.language = language }
        policy.barcodeRules = barcodeRules
        policy.smallestCoin = cashRoundingMinor
        policy.cardDeadline = cardTimeout
        // A hub that does not say is queried with each card.
        policy.takesCards = store.payments != "none"
        policy.listedTenders = store.tenders
        policy.cardsAreSimulated = store.payments == "simulator"
        policy.offlineCards = OfflineCardLimits(store)
        policy.hasCardMachine = cardMachine != nil
        policy.isCardMachineFirst = cardMachine?.isFirst ?? false
        policy.hasOwnCards = cardMachine.map { $0.kind != .simulated } ?? false
        policy.idleMilliseconds = idleMinutes * 60_000
        policy.requiresShift = requiresShift
        policy.joinsEqualScans = joinsEqualScans
        policy.countryCode = countryCode > 0 ? countryCode : nil
        policy.toleratedDifference = toleratedDifference.least
        policy.countsBlind = countsBlind
        policy.listedApprovals = listedApprovals
        policy.addedApprovals = addedApprovals
        policy.discountBasisPoints = discountBasisPoints
        policy.refundLimits = refundLimits
        policy.points = points
        return policy
    }
}
