internal import Base
internal import CurlHTTP
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import Retail
internal import Pricing
internal import Printing
internal import TerminalStore

extension TerminalConfiguration {
    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - path: the file; it must be there.
    ///   - environment: variables such as `POS_HUB_URL`, which win over the file.
    /// - Throws: kind `unusable`, naming the key, its unit and its range.
    static func load(
        path: String, environment: [String: String]
    ) async throws(TerminalError) -> TerminalConfiguration {
        try await ConfigurationSources.read(path: path, environment: environment).configuration()
    }

    init(_ source: ConfigurationSources) throws(TerminalError) {
        guard let hub = try source.text("hub.url") else {
            throw TerminalError(.unusable, code: "configuration_value") { $0.hubURLMissing(source.file.path) }
        }
        allowInsecure = try source.flag("hub.allowInsecure")
        hubURL = try Self.checkedURL(hub, key: "hub.url", allowInsecure: allowInsecure)
        qosURL = try Self.checkedURL(
            try source.text("qos.url") ?? hub, key: "qos.url", allowInsecure: allowInsecure)
        caFile = try source.text("hub.caFile")
        qosPoll = try source.seconds("qos.pollSeconds")
        qosDwell = try source.seconds("qos.dwellSeconds")
        debounce = try source.seconds("network.debounceSeconds")
        pathDebounce = try source.seconds("network.pathDebounceSeconds")
        pingInterval = try source.seconds("network.pingIntervalSeconds")
        probeInterval = try source.seconds("network.probeIntervalSeconds")
        internetProbeURL = try source.text("network.internetProbeURL")
        recoveryHold = try source.seconds("network.recoveryHoldSeconds")
        meteredInterfaces = try source.list("network.meteredInterfaces")
        isConstrained = try source.flag("network.constrained")
        consecutiveFailures = try source.integer("service.consecutiveFailures")
        coreAPIsFile = try source.text("service.coreAPIsFile")
        onlineBudget = .milliseconds(try source.integer("checkout.onlineBudgetMilliseconds"))
        maximumQuantityMilli = Int64(try source.integer("checkout.maximumQuantityMilli"))
        cardTimeout = try source.seconds("checkout.cardTimeoutSeconds")
        joinsEqualScans = try source.choice("checkout.equalScans") == "together"
        barcodeRules = try Self.checkedBarcodeRules(try source.text("barcode.rules"))
        cashRoundingMinor = Int64(try source.integer("cash.roundingMinor"))
        idleMinutes = Int64(try source.integer("account.idleMinutes"))
        let approvals = try source.words("account.approvals")
        listedApprovals = approvals.store.map(Self.actions)
        addedApprovals = Self.actions(approvals.own)
        discountBasisPoints = Int64(try source.limit("account.discountBasisPoints"))
        requiresShift = try source.choice("shift.required") == "on"
        toleratedDifference = try source.refundLimit("shift.toleratedDifference")
        countsBlind = try source.choice("shift.blindCount") == "on"
        refundLimits = RefundLimitSettings(
            perRefund: try source.refundLimit("refund.withoutOrder.perRefund"),
            perDay: try source.refundLimit("refund.withoutOrder.perDay"))
        points = PointsScheme(
            earnEvery: Int64(try source.integer("points.earnEveryMinor")),
            value: Int64(try source.integer("points.valueMinor")),
            minimumSpend: Int64(try source.integer("points.minimumSpend")))
        requestTimeout = try source.seconds("sync.requestTimeoutSeconds")
        pullInterval = try source.seconds("sync.pullSeconds")
        maximumBackoff = try source.seconds("sync.maximumBackoffSeconds")
        quietHours = try Self.checkedQuietHours(try source.text("policy.quietHours"))
        batteryFloorPercent = try source.integer("policy.batteryFloorPercent")
        for kind in TerminalRetention.allCases {
            keptDays[kind] = Int64(try source.integer(kind.configurationKey))
        }
        language = try Self.checkedLanguage("display.language", source)
        cardMachine = try CardMachineSettings(from: source)
        neighbours = try NeighbourSettings(from: source)
        printer = try Self.checkedPrinter(try source.text("printer.device"))
        paper = try Self.checkedPaper(try source.integer("printer.width"))
        receiptLanguage = try Self.checkedLanguage("printer.language", source) ?? language ?? .english
        storeName = try source.text("store.name")
        taxNumber = try source.text("store.taxNumber")
        countryCode = try source.integer("store.countryCode")
        timeZone = try Self.checkedTimeZone(try source.text("store.timeZone") ?? "UTC")
        isTimeZoneSet = source.isSet("store.timeZone")
        businessDayBegin = try Self.begin(try source.text(BusinessDayBegin.key))
    }

    private static func actions(_ words: Set<String>) -> Set<ApprovalAction> {
        Set(words.compactMap(ApprovalAction.init(rawValue:)))
    }

    /// A hub's address: https, or http where it cannot be overheard or was allowed.
    static func checkedURL(
        _ text: String, key: String, allowInsecure: Bool
    ) throws(TerminalError) -> String {
        let url: ServerURL
        do {
            url = try ServerURL(text)
        } catch {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: key, .address)
            }
        }
        guard url.isSecure || url.isLoopback || allowInsecure else {
            throw TerminalError(.unusable, code: "configuration_insecure") { $0.insecure(key, text) }
        }
        return url.base
    }

    private static func checkedTimeZone(_ name: String) throws(TerminalError) -> String {
        guard TimeZone(identifier: name) != nil else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(name)\"", of: "store.timeZone", .timeZone)
            }
        }
        return name
    }

    private static func checkedBarcodeRules(_ text: String?) throws(TerminalError) -> [BarcodeRule] {
        guard let text, !text.isEmpty else { return [] }
        guard let rules = BarcodeRule.list(text) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: "barcode.rules", .form(BarcodeRule.expected))
            }
        }
        return rules
    }

    private static func checkedQuietHours(_ text: String?) throws(TerminalError) -> QuietHours? {
        guard let text else { return nil }
        guard let hours = QuietHours(text) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: "policy.quietHours", .interval)
            }
        }
        return hours
    }

    private static func checkedLanguage(_ key: String, _ source: ConfigurationSources) throws(TerminalError)
        -> Language?
    {
        guard let text = try source.text(key) else { return nil }
        guard let language = Language(rawValue: text) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: key, .oneOf(Language.allCases.map(\.rawValue)))
            }
        }
        return language
    }

    private static func checkedPrinter(_ text: String?) throws(TerminalError) -> PrinterAddress? {
        guard let text else { return nil }
        do throws(PrinterAddressError) {
            return try PrinterAddress(text)
        } catch {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: "printer.device", .printer(error))
            }
        }
    }

    private static func checkedPaper(_ millimetres: Int) throws(TerminalError) -> PaperWidth {
        guard let paper = PaperWidth(rawValue: millimetres) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\(millimetres)", of: "printer.width", .paper)
            }
        }
        return paper
    }

    private static func begin(_ text: String?) throws(TerminalError) -> BusinessDayBegin {
        guard let text else { return .standard }
        guard let begin = BusinessDayBegin(text) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: BusinessDayBegin.key, .timeOfDay)
            }
        }
        return begin
    }
}
