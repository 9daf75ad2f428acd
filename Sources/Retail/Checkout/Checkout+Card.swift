internal import OfflineCore
internal import OfflineMode

/// A card is charged at most once a sale. The intent, with the authorisation's key, lies on disk before the
/// first byte is sent, and from then on it is settled in exactly one of three ways: the sale takes it over in
/// its own transaction, the issuer declines it, or it is voided through the outbox. An answer that was lost
/// is asked for; it is never a reason to authorise again.
extension Checkout {
    /// An authorisation in hand, still to be taken over by its sale.
    struct CardTender {
        let intent: CardIntent
        let approval: CardApproval
    }

    /// Takes the card's part of `cart`; nil when no card pays.
    func cardTender(for cart: Cart, key: ULID) async throws(SaleRefusal) -> CardTender? {
        guard let amount = cart.cardAmount else { return nil }
        guard ports.modes.status.connectivity.state != .authBlocked else {
            throw .cardOffline(reason: "the hub does not accept this terminal until it is enrolled again")
        }
        guard ports.modes.route(of: "payment") == .online else {
            throw .cardOffline(reason: reasonForLocalPayment())
        }
        let intent: CardIntent
        do throws(LedgerError) {
            intent = try await ports.intents.open(
                saleKey: key, amount: amount, currency: cart.currency, at: ports.time.wallMilliseconds())
        } catch {
            throw SaleRefusal(error)
        }
        return CardTender(intent: intent, approval: try await approval(of: intent))
    }

    private func approval(of intent: CardIntent) async throws(SaleRefusal) -> CardApproval {
        var outcome = await ports.cards.authorize(intent, deadline: policy.cardDeadline)
        if case .unknown = outcome {
            outcome = await ports.cards.query(key: intent.key, deadline: policy.cardQueryDeadline)
        }
        switch outcome {
        case .authorized(let approvalCode, let isSimulated):
            return CardApproval(
                authorizationKey: intent.key, approvalCode: approvalCode, isSimulated: isSimulated)
        case .declined(let reason):
            // A decline that cannot be noted leaves the intent open; start-up voids it, which is harmless.
            try? await ports.intents.decline(intent)
            throw .cardDeclined(reason: reason)
        case .unknown(let detail):
            await giveUp(intent, reason: "the outcome is unknown: \(detail)")
            throw .cardOutcomeUnknown(detail: detail)
        }
    }

    /// Voids an authorisation that no sale will take over. What fails here is done at the next start-up,
    /// since the intent stays unsettled.
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
