internal import DirectSQLite
internal import GRDB
internal import HubCore
internal import HubProtocol

extension SQLiteIntake {
    func product(_ sku: String) throws -> ListedProduct? {
        try products.product(sku, with: statements)?.product
    }

    func sell(_ soldMilli: Int64, of sku: String) throws -> Int64? {
        guard let listed = try products.product(sku, with: statements),
            let total = Merging.add(soldMilli, to: listed.soldMilli)
        else { return nil }
        products.sell(sku, upTo: total)
        return total
    }

    func isTaken(orderNumber: String) throws -> Bool {
        try statements["SELECT 1 FROM orders WHERE order_number = ? AND number_counts = 1 LIMIT 1"]
            .first({ $0.add(orderNumber) }) { _ in true } ?? false
    }

    func insert(_ order: OrderFacts, for record: MutationRecord) throws {
        try statements[
            """
            INSERT INTO orders (mutation_id, order_id, order_number, store_id, terminal_id, total, currency,
                number_counts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ].run { row in
            row.add(record.mutation.id)
            row.add(order.orderId)
            row.add(order.orderNumber)
            row.add(record.device.storeId)
            row.add(record.device.terminalId)
            row.add(order.total)
            row.add(order.currency)
            row.add(record.numberCounts ? 1 : 0)
        }
    }

    func markVoided(_ orderId: String, by mutationId: String) throws {
        try db.run(
            "UPDATE orders SET voided_by = ? WHERE order_id = ? AND voided_by IS NULL", [mutationId, orderId])
    }

    func insertRefund(
        _ id: String, of orderId: String, _ refund: RefundFacts, for record: MutationRecord
    ) throws {
        try db.run(
            "INSERT INTO refunds (mutation_id, refund_id, order_id, total, quantities) VALUES (?, ?, ?, ?, ?)",
            [record.mutation.id, id, orderId, refund.total, refund.quantitiesJSON.canonicalText])
    }

    func capturePayment(key: String, of terminalId: String) throws {
        try db.capturePayment(key: key, of: terminalId)
    }

    func voidPayment(key: String, of terminalId: String, at now: Int64) throws {
        try db.voidPayment(key: key, of: terminalId, at: now)
    }

    func insertDiscard(of mutationId: String, by record: MutationRecord) throws {
        try db.run(
            "UPDATE mutations SET discarded_by = ? WHERE id = ? AND outcome <> 'applied'",
            [record.mutation.id, mutationId])
        try db.run(
            "INSERT INTO discards (mutation_id, terminal_id, discarded_by) VALUES (?, ?, ?) "
                + "ON CONFLICT DO NOTHING",
            [mutationId, record.device.terminalId, record.mutation.id])
    }

    func publish(_ change: FeedChange) throws { try db.publish(PublishedChange(change)) }
}
