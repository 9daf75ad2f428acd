internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode

/// How the void of an intent ended.
enum CardVoidEnd {
    case voided
    /// A sale, a decline or a void had settled it before.
    case settledBefore
    /// The intent stays unsettled, so the void is repeated.
    case open
}

/// Sends requests to the hub's payment service, as ``CardDevice`` does to a machine. The intent is on disk.
struct ServiceCards: Sendable {
    let ports: CheckoutPorts
    let policy: CheckoutPolicy
    /// Why the service takes nothing now, for people.
    let absence: @Sendable () async -> String

    /// A terminal that goes offline meanwhile, or whose payment service becomes unavailable, does not wait
    /// for the response.
    ///
    /// - Returns: the request as it is then.
    func charge(_ intent: CardIntent) async -> DeviceRequest {
        await withTaskGroup(of: DeviceRequest?.self) { group in
            group.addTask { await sent(intent) }
            group.addTask {
                for await _ in ports.modes.statuses()
                where ports.modes.route(of: HubService.payment.rawValue) != .online {
                    return lost(intent, await absence())
                }
                return nil
            }
            defer { group.cancelAll() }
            for await case let request? in group { return request }
            return lost(intent, "no response")
        }
    }

    private func sent(_ intent: CardIntent) async -> DeviceRequest {
        var request = intent.request
        let response = await ports.cards.authorize(intent, deadline: policy.cardDeadline)
        _ = request.handle(.ended(response), at: ports.time.now())
        guard request.isUndecided else { return request }
        guard !Task.isCancelled else { return lost(intent, "no response") }
        return await queried(request)
    }

    /// The request as the service shows it.
    func queried(_ request: DeviceRequest) async -> DeviceRequest {
        var request = request
        _ = request.handle(.wanted, at: ports.time.now())
        let finding = await ports.cards.query(key: request.key, deadline: policy.cardQueryDeadline)
        _ = request.handle(.found(finding), at: ports.time.now())
        return request
    }

    private func lost(_ intent: CardIntent, _ detail: String) -> DeviceRequest {
        var request = intent.request
        _ = request.handle(.ended(.lost(detail: detail)), at: ports.time.now())
        return request
    }
}
