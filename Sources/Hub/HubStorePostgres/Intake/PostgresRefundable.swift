internal import HubCore
import HubProtocol
internal import HubStore

/// Reads a sale with what came back of it, for the intake and for a terminal's look-up.
struct PostgresRefundable {
    typealias Query = (_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> PostgresRows

    let order: RefundableOrder

    /// - Parameter isLocked: whether another hub's refund or void of the sale waits for this transaction.
    init(_ key: RefundableOrder.Key, isLocked: Bool, query: Query) throws(PostgresError) {
        let condition: String
        var (orderId, number): (String?, String?)
        switch key {
        case .id(let id): (condition, orderId) = ("o.order_id = $1", id)
        case .number(let text): (condition, number) = ("o.order_number = $1 AND o.number_counts = 1", text)
        }
        let sale = try query(
            "SELECT o.mutation_id, o.voided_by, m.document, o.store_id, o.order_id, o.order_number, "
                + "o.number_counts, o.terminal_id, CASE WHEN EXISTS (SELECT 1 FROM flags f WHERE "
                + "f.mutation_id = m.id AND f.flag = '\(IntakeFlag.pointsLimit.rawValue)') THEN 1 ELSE 0 END "
                + "FROM orders o JOIN mutations m ON m.id = o.mutation_id "
                + "WHERE \(condition) ORDER BY o.repeats LIMIT 1" + (isLocked ? " FOR UPDATE OF o" : ""),
            [.text(orderId ?? number)]
        ).first
        if let sale {
            orderId = try sale.text(4)
            number = try sale.integer(6) == 1 ? try sale.text(5) : nil
        }
        let parts = try query(
            RefundRows.parts(of: "$1", number: "$2"), [.text(orderId), .text(number)]
        ).rows.map { row throws(PostgresError) in try RefundRows.Row(row) }
        let voiding = try sale?.optionalText(1).flatMap { mutationId throws(PostgresError) in
            try query(RefundRows.voiding(by: "$1"), [.text(mutationId)]).first
        }
        let state: OrderState? = try sale.map { row throws(PostgresError) in
            OrderState(
                key: try row.text(4), terminalId: try row.text(7), mutationId: try row.text(0),
                voidedBy: row.optionalText(1), storeId: try row.text(3))
        }
        order = RefundableOrder(
            sale == nil ? nil : orderId, of: try sale?.text(7), state,
            document: JSONValue.stored(sale?.optionalText(2)),
            isPastPoints: sale?.optionalInteger(8) == 1,
            returned: parts.compactMap(\.part), grants: parts.compactMap(\.grant),
            voidedBy: try voiding.map { row throws(PostgresError) in
                ReturnedPart.Origin(
                    terminalId: try row.text(0), storeId: row.optionalText(1),
                    terminalNumber: row.optionalInteger(2),
                    document: JSONValue.stored(row.optionalText(4)), receivedAt: try row.integer(3))
            })
    }

    /// The terminal of that id, a revoked one too; nil when the hub has none.
    static func signer(_ terminalId: String, query: Query) throws(PostgresError) -> ReceiptSigner? {
        let row = try query(
            "SELECT store_id, number, public_key FROM terminals WHERE id = $1", [.text(terminalId)]
        ).first
        return try row.map { row throws(PostgresError) in
            ReceiptSigner(
                storeId: try row.text(0), number: try row.integer(1), publicKey: try row.text(2))
        }
    }
}
