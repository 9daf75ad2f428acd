internal import Credentials
internal import GRDB
internal import HubProtocol
internal import Pricing
internal import Retail

/// The table `voucher_uses`, within one access of the database: what vouchers paid of this terminal's sales.
struct VoucherTable {
    let database: Database

    /// Keeps what vouchers paid of an order.
    func insert(_ payments: [SalePayment], of orderId: String) throws {
        for payment in payments {
            guard let number = payment.details.reference else { continue }
            try database.execute(
                sql: """
                    INSERT INTO voucher_uses (method, number, order_id, amount) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT (method, number, order_id) DO UPDATE SET amount = amount + ?4
                    """,
                arguments: [
                    payment.method.name, CouponCode.normalForm(of: number), orderId, payment.amount,
                ])
        }
    }

    /// Takes off what a refund of the order gave back to vouchers.
    func giveBack(_ payments: [SalePayment], of orderId: String) throws {
        for payment in payments {
            guard let number = payment.details.reference else { continue }
            try database.execute(
                sql: """
                    UPDATE voucher_uses SET amount = max(0, amount - ?4)
                    WHERE method = ?1 AND number = ?2 AND order_id = ?3
                    """,
                arguments: [
                    payment.method.name, CouponCode.normalForm(of: number), orderId, payment.amount,
                ])
        }
    }

    /// The number of the newest order that a voucher paid, of those that were not voided and whose money did
    /// not go back to it; nil: there is none.
    func order(paidBy method: String, _ number: String) throws -> String? {
        try String.fetchOne(
            database,
            sql: """
                SELECT order_number FROM voucher_uses JOIN orders USING (order_id)
                WHERE method = ? AND number = ? AND amount > 0 AND voided_at IS NULL
                ORDER BY sequence DESC LIMIT 1
                """, arguments: [method, CouponCode.normalForm(of: number)])
    }
}
