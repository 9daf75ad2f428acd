import Base

internal import OfflineCore
internal import OfflineMode
internal import Synchronization
internal import MachineRuntime

/// A card is charged at most once a sale. The intent, with the authorisation's key, is on disk before the
/// first byte is sent, and from then on it is settled in exactly one of three ways: the sale takes it over in
/// its own transaction, the issuer declines it, or it is voided through the outbox. After a lost response the
/// outcome is requested; a lost response is never a reason to authorise again.
extension Checkout {
    /// A granted authorisation that its sale has not recorded yet.
    struct CardTender {
        let intent: CardIntent
        let approval: CardApproval
    }

    /// Takes the card's part of `cart`; nil when no card pays.
    func cardTender(for cart: Cart, key: ULID) async throws(SaleRefusal) -> CardTender? {
        guard let amount = cart.cardAmount else { return nil }
        guard policy.takesCards else {
            throw .cardOffline(reason: "no payment service is configured at the hub")
        }
        guard ports.modes.status.connectivity.state != .authBlocked else {
            throw .cardOffline(reason: "the hub does not accept this terminal until it is enrolled again")
        }
        guard ports.modes.route(of: "payment") == .online else {
            throw .cardOffline(reason: reasonForLocalPayment())
        }
        let intent: CardIntent
        do throws(StorageError) {
            intent = try await ports.intents.open(
                saleKey: key, amount: amount, currency: cart.currency, at: ports.time.wallMilliseconds())
        } catch {
            throw SaleRefusal(error)
        }
        let approval = try await approval(of: intent, for: key)
        guard !hasGivenUp(key) else {
            await giveUp(intent, reason: "the sale was given up")
            throw .cardGivenUp
        }
        return CardTender(intent: intent, approval: approval)
    }

    private func approval(
        of intent: CardIntent, for key: ULID
    ) async throws(SaleRefusal) -> CardApproval {
        switch await end(of: intent, key) {
        case .outcome(.authorized(let approvalCode, let isSimulated)):
            return CardApproval(
                authorizationKey: intent.key, approvalCode: approvalCode, isSimulated: isSimulated)
        case .outcome(.declined(let reason)):
            // A decline that cannot be recorded leaves the intent open; the next start voids it, which is
            // harmless.
            try? await ports.intents.decline(intent)
            throw .cardDeclined(reason: reason)
        case .outcome(.unknown(let detail)):
            await giveUp(intent, reason: "the outcome is unknown: \(detail)")
            throw .cardOutcomeUnknown(detail: detail)
        case .givenUp:
            await giveUp(intent, reason: "the sale was given up")
            throw .cardGivenUp
        case .routeLost:
            let reason = reasonForLocalPayment()
            await giveUp(intent, reason: "the outcome is unknown: \(reason)")
            throw .cardOutcomeUnknown(detail: reason)
        }
    }

    /// How a request about a card ended.
    private enum CardEnd: Sendable {
        case outcome(CardOutcome)
        /// The sale was cancelled by all its requesters.
        case givenUp
        /// The terminal went offline, or the payment service became unavailable: the sale does not wait for a
        /// response.
        case routeLost
    }

    /// Requests the authorisation, and its outcome where the response was lost.
    private func end(of intent: CardIntent, _ key: ULID) async -> CardEnd {
        let (wish, modes) = (giveUpRequest(of: key), ports.modes)
        return await withTaskGroup(of: CardEnd?.self) { [ports, policy] group in
            group.addTask {
                let first = await ports.cards.authorize(intent, deadline: policy.cardDeadline)
                guard case .unknown = first, !Task.isCancelled else { return .outcome(first) }
                return .outcome(
                    await ports.cards.query(key: intent.key, deadline: policy.cardQueryDeadline))
            }
            group.addTask { await wish?.wait() == true ? .givenUp : nil }
            group.addTask {
                for await _ in modes.statuses() where modes.route(of: "payment") != .online {
                    return .routeLost
                }
                return nil
            }
            defer { group.cancelAll() }
            for await end in group {
                if let end { return end }
            }
            return .outcome(.unknown(detail: "no answer"))
        }
    }

    /// Voids an authorisation that no sale will take over. What fails here is done at the next start, since
    /// the intent stays unsettled.
    func giveUp(_ intent: CardIntent, reason: String) async {
        try? await ports.intents.void(intent, reason: reason, at: ports.time.wallMilliseconds())
        ports.delivery.nudge()
    }

    private func reasonForLocalPayment() -> String {
        let status = ports.modes.status
        guard status.mode == .online else {
            return "the terminal is offline (" + status.causes.map(\.rawValue).joined(separator: ", ") + ")"
        }
        return "the payment service is not available"
    }
}

/// A request to end the waiting for a card, made at most once and from any task.
final class GiveUp: Sendable {
    private let requested = Atomic(false)
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    var isRequested: Bool { requested.load(ordering: .acquiring) }

    func request() {
        requested.store(true, ordering: .releasing)
        signal.continuation.yield()
    }

    /// Whether it was requested; false when the task was cancelled before.
    func wait() async -> Bool {
        if isRequested { return true }
        for await _ in signal.stream { return true }
        return isRequested
    }
}
