internal import OfflineCore
internal import OfflineMode
internal import Retail

/// The settings as the machines and the business layer take them.
extension TerminalConfiguration {
    /// What is wrong while nobody has set `store.timeZone`.
    static let timeZoneWarning =
        "store.timeZone is not set: receipts and the business day follow UTC; set it in terminal.json, or for the "
        + "whole store with `pos-hub store-config set`"

    var offlineSettings: OfflineSettings {
        var network = NetworkSettings()
        network.debounceRule = debounceRule
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

    /// - Parameter payments: which payment service the hub has; nil where it did not say.
    func checkoutPolicy(
        storeId: String, payments: String? = nil
    ) throws(TerminalError) -> CheckoutPolicy {
        guard
            let calendar = BusinessCalendar(
                timeZone: timeZone, startsAtMinutes: Int64(businessDayStartsAtMinute))
        else {
            throw TerminalError(
                .unusable, code: "configuration_value",
                "store.timeZone \(timeZone) is not known on this machine; install tzdata")
        }
        var policy = CheckoutPolicy(
            calendar: calendar, receiptHeader: [storeName ?? storeId] + [taxNumber].compactMap(\.self))
        policy.maximumQuantityMilli = maximumQuantityMilli
        policy.isChinese = language == .chinese
        policy.smallestCoin = cashRoundingMinor
        policy.cardDeadline = cardTimeout
        // A hub that does not say is queried with each card.
        policy.takesCards = payments != "none"
        policy.idleMilliseconds = idleMinutes * 60_000
        policy.listedApprovals = listedApprovals
        policy.addedApprovals = addedApprovals
        policy.discountBasisPoints = discountBasisPoints
        return policy
    }
}
