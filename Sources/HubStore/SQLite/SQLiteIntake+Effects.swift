internal import GRDB
internal import HubCore
internal import HubProtocol

extension SQLiteIntake {
    func perform(_ effect: IntakeEffect, for record: MutationRecord) throws -> Set<IntakeFlag> {
        switch effect {
        case .recordOrder(let order):
            return try recordOrder(order, for: record)
        case .countStock(let sku, let soldMilli):
            return try countStock(sku, soldMilli)
        case .voidOrder(let orderId):
            try db.run(
                "UPDATE orders SET voided_by = ? WHERE order_id = ? AND voided_by IS NULL",
                [record.mutation.id, orderId])
        case .recordRefund(let id, let orderId, let refund):
            try db.run(
                "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
                [record.mutation.id, id, orderId, refund.total, refund.quantitiesJSON.canonicalText])
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .voidPayment(let key):
            try db.voidPayment(key: key, of: record.device.terminalId, at: record.receivedAt)
        case .capturePayment(let key):
            try db.capturePayment(key: key, of: record.device.terminalId)
        case .publishNote(let id, let value):
            let before = try entity("note", id, in: record.device.storeId)?.value
            let merged = Merging.written(value, over: before)
            try db.publish(change("note", id, value: merged, of: record))
        case .removeNote(let id):
            try db.publish(change("note", id, value: nil, of: record))
        case .discard(let mutationId):
            try db.run(
                "UPDATE mutations SET discarded_by = ? WHERE id = ? AND outcome <> 'applied'",
                [record.mutation.id, mutationId])
        }
        return []
    }

    private func recordOrder(_ order: OrderFacts, for record: MutationRecord) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if try db.first("SELECT 1 FROM orders WHERE order_number = ? LIMIT 1", [order.orderNumber]) != nil {
            flags.insert(.orderNumberRepeated)
        }
        try db.run(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            [
                record.mutation.id, order.orderId, order.orderNumber, record.device.storeId,
                record.device.terminalId, order.total, order.currency,
            ])
        for line in order.lines {
            let listed = try db.first("SELECT price, currency FROM products WHERE sku = ?", [line.sku])
            guard let listed else { continue }
            if listed[0] != line.unitPrice { flags.insert(.priceDiffers) }
            if listed[1] != order.currency { flags.insert(.currencyDiffers) }
        }
        return flags
    }

    private func countStock(_ sku: String, _ soldMilli: Int64) throws -> Set<IntakeFlag> {
        let row = try db.first("SELECT stock_milli, sold_milli FROM products WHERE sku = ?", [sku])
        guard let row else { return [] }
        let (sold, overflows) = (row[1] as Int64).addingReportingOverflow(soldMilli)
        guard !overflows else { return [] }
        try db.run("UPDATE products SET sold_milli = ? WHERE sku = ?", [sold, sku])
        guard let stock: Int64 = row[0], soldMilli > 0 else { return [] }
        return stock < sold ? [.stockNegative] : []
    }

    private func change(
        _ entity: String, _ id: String, value: JSONValue?, of record: MutationRecord
    ) -> PublishedChange {
        PublishedChange(
            entity: entity, entityId: id, storeId: record.device.storeId,
            deletedAt: value == nil ? record.receivedAt : nil, hlc: record.hlc, origin: record.origin,
            value: value)
    }
}
