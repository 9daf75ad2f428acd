import OfflineCore
public import Base
public import OfflineMode
internal import MachineRuntime

extension Orders {
    /// Refunds goods of an order in cash: the hub gets the refund after the order itself, and their stock
    /// comes back. Durable when it returns; it does not wait for the hub.
    ///
    /// No more is refunded than was sold, over all refunds of this terminal. The hub adds the refunds of
    /// other terminals and reports a conflict when the sum is too large.
    ///
    /// - Parameters:
    ///   - items: empty for all that is left of the sale.
    ///   - claim: who refunds it, and who approves that where the store requires an approver.
    ///   - key: the same key again returns the first refund; nil: a fresh one.
    ///   - attachments: sent with it; the hub gets the refund once it has all their bytes.
    public func refund(
        _ idOrNumber: String, items: [RefundEntry.Item], by claim: PersonClaim, key: ULID? = nil,
        reason: String? = nil, attachments: [Attachment] = []
    ) async throws(OrderRefusal) -> Refund {
        let order = try await show(idOrNumber)
        let person = try await authorize(claim, .refund)
        let now = time.wallMilliseconds()
        var generator = SystemRandomNumberGenerator()
        let entry = RefundEntry(
            key: key ?? ULID(milliseconds: UInt64(clamping: now), using: &generator), items: items,
            mode: modes.status.mode, madeAt: now, businessDay: policy.calendar.day(at: now),
            cashierId: person.cashierId, approverId: person.approverId, reason: reason,
            smallestCoin: policy.smallestCoin,
            attachments: attachments)
        let refund: Result<Refund, OrderRefusal>
        do throws(StorageError) {
            refund = try await archive.refund(orderId: order.sale.orderId, with: entry)
        } catch {
            throw OrderRefusal(error)
        }
        delivery.nudge()
        return try refund.get()
    }

    /// The receipt of a refund, printed again.
    public func receipt(of refund: Refund) -> String {
        RefundReceipt(refund: refund, policy: policy).text
    }
}
