import HubCore
import HubProtocol

extension PostgresIntake {
    func product(_ sku: String) throws -> ListedProduct? { try listed(sku)?.product }

    func sell(_ soldMilli: Int64, of sku: String) throws -> Int64? {
        guard let listed = try self.listed(sku),
            let sale = draft.sold[sku, default: StockSale()].adding(soldMilli),
            let total = Merging.add(sale.netMilli, to: listed.soldMilli)
        else { return nil }
        draft.sold[sku] = sale
        return total
    }

    func insert(_ order: OrderFacts, for record: MutationRecord) {
        if record.numberCounts { draft.orderNumbers.insert(order.orderNumber) }
        draft.orders[order.orderId] = OrderState(
            mutationId: record.mutation.id, voidedBy: nil, storeId: record.device.storeId)
        draft.unwritten.orders.append(
            UnwrittenIntake.Order(
                mutationId: record.mutation.id, device: record.device, facts: order,
                numberCounts: record.numberCounts))
    }

    func markVoided(_ orderId: String, by mutationId: String) throws {
        _ = try query(
            "UPDATE orders SET voided_by = $1 WHERE order_id = $2 AND voided_by IS NULL",
            [.text(mutationId), .text(orderId)])
        if let order = draft.orders[orderId], order.voidedBy == nil {
            draft.orders[orderId] = OrderState(
                mutationId: order.mutationId, voidedBy: mutationId, storeId: order.storeId)
        }
    }

    func insertRefund(
        _ id: String, of orderId: String, _ refund: RefundFacts, for record: MutationRecord
    ) throws {
        _ = try query(
            "INSERT INTO refunds (mutation_id, refund_id, order_id, total, quantities) "
                + "VALUES ($1, $2, $3, $4, $5)",
            [
                .text(record.mutation.id), .text(id), .text(orderId), .integer(refund.total),
                .text(refund.quantitiesJSON.canonicalText),
            ])
    }

    func capturePayment(key: String, of terminalId: String) {
        draft.unwritten.captures.append((key, terminalId))
    }

    func voidPayment(key: String, of terminalId: String, at now: Int64) throws {
        try queryAfterUnwritten([PostgresPayments.void(key: key, of: terminalId, at: now)])
    }

    func insertDiscard(of mutationId: String, by record: MutationRecord) throws {
        _ = try query(
            "UPDATE mutations SET discarded_by = $1 WHERE id = $2 AND outcome <> 'applied'",
            [.text(record.mutation.id), .text(mutationId)])
        draft.answered.insert(mutationId)
        _ = try query(
            "INSERT INTO discards (mutation_id, terminal_id, discarded_by) VALUES ($1, $2, $3) "
                + "ON CONFLICT DO NOTHING",
            [.text(mutationId), .text(record.device.terminalId), .text(record.mutation.id)])
    }

    func attachmentsMissing(
        among ids: [String], of terminalId: String
    ) throws(PostgresError) -> [String] {
        let rows = try connection.query(
            "SELECT id FROM attachments WHERE terminal_id = $1 AND id = ANY($2::text[]) "
                + "AND whole_at IS NOT NULL", [.text(terminalId), .texts(ids)]
        ).rows
        let complete = Set(rows.compactMap { $0.optionalText(0) })
        return ids.filter { !complete.contains($0) }
    }

    func publish(_ change: FeedChange) throws {
        try queryAfterUnwritten([PostgresLock.feed.statement, PublishedChange(change).statement])
    }
}
