internal import HubProtocol

/// What a voucher paid of one sale. The hub issues no vouchers and knows no balances: it sees that a number
/// comes a second time.
package struct VoucherUse: Hashable, Sendable {
    /// The tender, as the store names it.
    package let method: String
    /// As typed at the till.
    package let number: String
    /// Minor units, at least 1.
    package let amount: Int64

    /// The payments of a sale or refund that have a number, each number once, with the sum of its amounts,
    /// and whether one came twice.
    static func all(in payments: [RecordedPayment]?) -> (uses: [VoucherUse], isRepeated: Bool) {
        var uses: [VoucherUse] = []
        var isRepeated = false
        // Their number is bounded as that of cards: each costs a write in the transaction of all pushes.
        for payment in (payments ?? []).prefix(PaymentRules.mostCards) {
            guard let number = payment.shownDetails.reference, !number.isEmpty,
                number.utf8.count <= TextBound.name, let method = payment.method,
                method.utf8.count <= TextBound.name
            else { continue }
            let amount = min(max(payment.amount ?? 1, 1), 1 << 53)
            if uses.contains(where: { $0.method == method && $0.number == number }) {
                isRepeated = true
            } else {
                uses.append(VoucherUse(method: method, number: number, amount: amount))
            }
        }
        return (uses, isRepeated)
    }

    /// Keeps a use: method, number in its normal form, the order's key, amount.
    package static let insertion = """
        INSERT INTO voucher_uses (method, number, order_id, amount) VALUES ($1, $2, $3, $4)
        ON CONFLICT (method, number, order_id) DO UPDATE SET amount = excluded.amount
        """

    /// A row where the number paid another sale that was not voided and whose money did not go back to the
    /// voucher; the first three values of ``insertion``.
    package static let others = """
        SELECT 1 FROM voucher_uses v JOIN orders o ON o.order_id = v.order_id
        WHERE v.method = $1 AND v.number = $2 AND v.order_id <> $3 AND v.amount > 0 AND o.voided_by IS NULL
        LIMIT 1
        """

    /// Money goes back to the voucher: amount, method, number in its normal form, the order's key.
    package static let returning = """
        UPDATE voucher_uses SET amount = CASE WHEN amount > $1 THEN amount - $1 ELSE 0 END
        WHERE method = $2 AND number = $3 AND order_id = $4
        """
}
