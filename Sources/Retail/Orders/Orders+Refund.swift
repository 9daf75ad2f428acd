public import OfflineCore
public import OfflineMode

extension Orders {
    /// Gives goods of an order back for cash: the hub is told behind the order itself, and their stock comes
    /// back. Durable when it returns; it waits for nothing.
    ///
    /// No more comes back than was sold, over all refunds that this till knows of; what other tills gave back
    /// the hub adds, and says so when it was too much.
    ///
    /// - Parameters:
    ///   - items: empty for all that is left of the sale.
    ///   - claim: who gives it back, and who approves that where the store wants it.
    ///   - key: the same key again returns the first refund; nil: a fresh one.
    ///   - attachments: what goes with it; the hub is told once it has them whole.
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
        do throws(LedgerError) {
            refund = try await archive.refund(orderId: order.sale.orderId, with: entry)
        } catch {
            throw OrderRefusal(error)
        }
        delivery.nudge()
        return try refund.get()
    }

    /// The slip of a refund, printed again.
    public func receipt(of refund: Refund) -> String {
        RefundReceipt(refund: refund, policy: policy).text
    }
}
