import HubCore
import HubProtocol

extension PostgresIntake {
    func perform(_ effect: IntakeEffect, for record: MutationRecord) throws -> Set<IntakeFlag> {
        let terminalId = record.device.terminalId
        switch effect {
        case .recordOrder(let order):
            return try recordOrder(order, for: record)
        case .countStock(let sku, let soldMilli):
            return try countStock(sku, soldMilli)
        case .voidOrder(let orderId):
            try giveCouponsBack(of: orderId, for: record)
            _ = try ask(
                "UPDATE orders SET voided_by = $1 WHERE order_id = $2 AND voided_by IS NULL",
                [.text(record.mutation.id), .text(orderId)])
            if let order = draft.orders[orderId], order.voidedBy == nil {
                draft.orders[orderId] = OrderState(
                    mutationId: order.mutationId, voidedBy: record.mutation.id, storeId: order.storeId)
            }
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .recordRefund(let id, let orderId, let refund):
            _ = try ask(
                "INSERT INTO refunds VALUES ($1, $2, $3, $4, $5)",
                [
                    .text(record.mutation.id), .text(id), .text(orderId), .integer(refund.total),
                    .text(refund.quantitiesJSON.canonicalText),
                ])
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .voidPayment(let key):
            try askBehindUnwritten([PostgresPayments.void(key: key, of: terminalId, at: record.receivedAt)])
        case .capturePayment(let key):
            draft.unwritten.captures.append((key, terminalId))
        case .publishNote(let id, let change):
            try writeNote(id, change, for: record)
        case .removeNote(let id):
            try removeNote(id, for: record)
        case .writeMember(let id, let change):
            return try writeMember(id, change, for: record)
        case .adjustPoints(let memberId, let delta):
            return try adjustPoints(of: memberId, by: delta, for: record)
        case .countCoupon(let code, let uses):
            return try countCoupon(code, uses, for: record)
        case .discard(let mutationId):
            _ = try ask(
                "UPDATE mutations SET discarded_by = $1 WHERE id = $2 AND outcome <> 'applied'",
                [.text(record.mutation.id), .text(mutationId)])
            draft.answered.insert(mutationId)
            _ = try ask(
                "INSERT INTO discards (mutation_id, terminal_id, discarded_by) VALUES ($1, $2, $3) "
                    + "ON CONFLICT DO NOTHING",
                [.text(mutationId), .text(terminalId), .text(record.mutation.id)])
        }
        return []
    }

    func attachmentsMissing(
        among ids: [String], of terminalId: String
    ) throws(PostgresError) -> [String] {
        let rows = try connection.ask(
            "SELECT id FROM attachments WHERE terminal_id = $1 AND id = ANY($2::text[]) "
                + "AND whole_at IS NOT NULL", [.text(terminalId), .texts(ids)]
        ).rows
        let whole = Set(rows.compactMap { $0.optionalText(0) })
        return ids.filter { !whole.contains($0) }
    }

    private func recordOrder(_ order: OrderFacts, for record: MutationRecord) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if record.numberCounts {
            if try isTaken(orderNumber: order.orderNumber) { flags.insert(.orderNumberRepeated) }
            draft.orderNumbers.insert(order.orderNumber)
        }
        draft.orders[order.orderId] = OrderState(
            mutationId: record.mutation.id, voidedBy: nil, storeId: record.device.storeId)
        draft.unwritten.orders.append(
            UnwrittenIntake.Order(
                mutationId: record.mutation.id, device: record.device, facts: order,
                numberCounts: record.numberCounts))
        for line in order.lines {
            guard let listed = try product(line.sku) else { continue }
            if listed.price != line.unitPrice { flags.insert(.priceDiffers) }
            if listed.currency != order.currency { flags.insert(.currencyDiffers) }
        }
        return flags
    }

    private func countStock(_ sku: String, _ soldMilli: Int64) throws -> Set<IntakeFlag> {
        guard let listed = try product(sku),
            let sale = draft.sold[sku, default: StockSale()].adding(soldMilli),
            let sold = Merging.add(sale.netMilli, to: listed.stock.soldMilli)
        else { return [] }
        draft.sold[sku] = sale
        guard let stock = listed.stock.stockMilli, soldMilli > 0 else { return [] }
        return stock < sold ? [.stockNegative] : []
    }

    func publish(_ change: PublishedChange) throws {
        try askBehindUnwritten([PostgresLock.feed.statement, change.statement])
    }
}
