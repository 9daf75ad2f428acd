import Base

internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import MachineRuntime

extension Checkout {
    func recorded(_ key: ULID) async throws(SaleRefusal) -> Sale? {
        return try await SaleRefusal.accessing(await ports.ledger.sale(key: key))
    }

    /// Records the sale; an authorisation whose sale cannot be recorded is given up.
    func record(
        _ draft: SaleDraft, cards: [CardTender], for returned: RefundDraft?
    ) async throws(SaleRefusal) -> CommittedSale {
        let committed: Result<CommittedSale, OrderRefusal>
        do throws(StorageError) {
            if let returned {
                committed = try await ports.ledger.commit(draft, for: returned)
            } else {
                committed = .success(try await ports.ledger.commit(draft))
            }
        } catch {
            // An intent that the sale took over on disk is not voided. Where the disk does not respond
            // either, it stays open, and is settled later.
            await giveUp(
                cards, draft.key, reason: "the sale could not be recorded", isUncertain: error.isUncertain)
            if case .leaseSpent(let use, let left) = error {
                throw await refusal(use, left: left, of: draft.content)
            }
            if case .cartGranted(let taker) = error { throw .cartGranted(to: taker) }
            throw SaleRefusal(error)
        }
        switch committed {
        case .success(let sale): return sale
        case .failure(let refusal):
            await giveUp(cards, draft.key, reason: "the goods cannot come back")
            throw .refund(refusal)
        }
    }

    func saleDraft(
        of cart: Cart, by person: Authorization, member: Member?, key: ULID, mode: Mode, cards: [CardTender]
    ) -> SaleDraft {
        let now = ports.time.wallMilliseconds()
        // In the order in which they were authorised, which is that of the payments.
        var taken = cards[...]
        let payments = cart.payments.map { payment in
            let card = payment.isAuthorized ? taken.popFirst() : nil
            var details = payment.details
            if let machine = card?.intent?.machineDetails { details.machine = machine }
            if let token = card?.token {
                details.state = .storedOffline
                details.sealed = token.sealed
                details.storedAt = card?.counted?.takenAt.wall
            }
            return SalePayment(
                method: payment.method, amount: payment.amount, card: card?.approval, details: details)
        }
        var draft = SaleDraft(
            key: key, orderId: cards.first?.intent?.orderId, businessDay: policy.calendar.day(at: now),
            content: SaleContent(
                mode: mode, madeAt: now, timeZone: policy.calendar.timeZone, currency: cart.currency,
                cashierId: person.cashierId, approverId: person.approverId, memberId: member?.id,
                memberName: member?.name,
                coupons: cart.coupons, lines: cart.lines, totals: cart.totals, payments: payments,
                cashRounding: cart.settlement.cashRounding, change: cart.settlement.change,
                points: cart.points, leases: cart.leases),
            requiresShift: policy.requiresShift)
        draft.charges = cards.compactMap(\.intent?.request)
        draft.storedCards = cards.compactMap(\.counted)
        return draft
    }
}

extension StorageError {
    /// Whether what failed may be on disk all the same.
    fileprivate var isUncertain: Bool {
        switch self {
        case .unavailable: true
        case .diskFull, .notEnrolled, .leaseSpent, .cartGranted: false
        }
    }
}
