internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode

/// Whoever takes a card's money beside the till's commit: the hub's payment service, or the terminal's own
/// card machine. The checkout has one way for both: the intent is on disk first, the outcome decides, and
/// what no sale takes over is given back.
protocol CardRoute: Sendable {
    /// Why a void is open, for people.
    var openVoid: String { get }

    /// Requests the money, and what became of it where the response was lost. A cancelled task gives it up.
    ///
    /// - Parameter isFirst: whether nothing was requested under the intent's key before.
    func charge(_ intent: CardIntent, isFirst: Bool) async -> CardOutcome

    /// Gives back what no sale will take over. Can be repeated.
    func giveBack(_ intent: CardIntent, reason: String) async throws(StorageError) -> CardVoidEnd
}

/// How the void of an intent ended.
enum CardVoidEnd {
    case voided
    /// A sale, a decline or a void had settled it before.
    case settledBefore
    /// The intent stays unsettled, so the void is repeated.
    case open
}

/// The hub's payment service. What it granted is voided by an entry of the journal, whatever became of it.
struct ServiceCardRoute: CardRoute {
    let ports: CheckoutPorts
    let policy: CheckoutPolicy
    /// Why the service takes nothing now, for people.
    let absence: @Sendable () async -> String

    let openVoid = "the void could not be recorded"

    /// A terminal that goes offline meanwhile, or whose payment service becomes unavailable, does not wait
    /// for the response.
    func charge(_ intent: CardIntent, isFirst: Bool) async -> CardOutcome {
        await withTaskGroup(of: CardOutcome?.self) { group in
            group.addTask { await outcome(of: intent, isFirst: isFirst) }
            group.addTask {
                for await _ in ports.modes.statuses()
                where ports.modes.route(of: HubService.payment.rawValue) != .online {
                    return .unknown(detail: await absence())
                }
                return nil
            }
            defer { group.cancelAll() }
            for await case let outcome? in group { return outcome }
            return .unknown(detail: "no response")
        }
    }

    private func outcome(of intent: CardIntent, isFirst: Bool) async -> CardOutcome {
        let first = await ports.cards.authorize(intent, deadline: policy.cardDeadline)
        switch first {
        case .notSent where isFirst, .authorized, .charged, .declined: return first
        case .notSent, .unknown: break
        }
        guard !Task.isCancelled else { return .unknown(detail: "no response") }
        return await ports.cards.query(key: intent.key, deadline: policy.cardQueryDeadline)
    }

    func giveBack(_ intent: CardIntent, reason: String) async throws(StorageError) -> CardVoidEnd {
        try await ports.intents.void(intent, reason: reason, at: ports.time.wallMilliseconds())
        ports.delivery.nudge()
        return .voided
    }
}

/// The terminal's own card machine, which has to confirm a void.
struct MachineCardRoute: CardRoute {
    let ports: CheckoutPorts

    let openVoid = "the card machine did not confirm the void"

    func charge(_ intent: CardIntent, isFirst: Bool) async -> CardOutcome {
        await ports.machine?.charge(intent) ?? .unknown(detail: "there is no card machine any more")
    }

    /// The decision is on disk first: a sale that is recorded meanwhile keeps its charge, and after it none
    /// takes the charge over.
    func giveBack(_ intent: CardIntent, reason: String) async throws(StorageError) -> CardVoidEnd {
        guard try await ports.intents.beginVoid(intent) else { return .settledBefore }
        guard await ports.machine?.giveBack(key: intent.key) == true else { return .open }
        try await ports.intents.decline(intent)
        await ports.offlineCards?.release([intent.key])
        return .voided
    }
}
