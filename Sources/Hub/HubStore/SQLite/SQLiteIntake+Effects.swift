internal import DirectSQLite
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
            try giveCouponsBack(of: orderId, for: record)
            try db.run(
                "UPDATE orders SET voided_by = ? WHERE order_id = ? AND voided_by IS NULL",
                [record.mutation.id, orderId])
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .recordRefund(let id, let orderId, let refund):
            try db.run(
                "INSERT INTO refunds VALUES (?, ?, ?, ?, ?)",
                [record.mutation.id, id, orderId, refund.total, refund.quantitiesJSON.canonicalText])
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .voidPayment(let key):
            try db.voidPayment(key: key, of: record.device.terminalId, at: record.receivedAt)
        case .capturePayment(let key):
            try db.capturePayment(key: key, of: record.device.terminalId)
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
            try db.run(
                "UPDATE mutations SET discarded_by = ? WHERE id = ? AND outcome <> 'applied'",
                [record.mutation.id, mutationId])
            try db.run(
                "INSERT INTO discards VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [mutationId, record.device.terminalId, record.mutation.id])
        }
        return []
    }

    private func recordOrder(_ order: OrderFacts, for record: MutationRecord) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if try record.numberCounts && isTaken(order.orderNumber) { flags.insert(.orderNumberRepeated) }
        try statements["INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, NULL, 0, ?)"].run { row in
            row.add(record.mutation.id)
            row.add(order.orderId)
            row.add(order.orderNumber)
            row.add(record.device.storeId)
            row.add(record.device.terminalId)
            row.add(order.total)
            row.add(order.currency)
            row.add(record.numberCounts ? 1 : 0)
        }
        for line in order.lines {
            guard let listed = try products.product(line.sku, with: statements) else { continue }
            if listed.price != line.unitPrice { flags.insert(.priceDiffers) }
            if listed.currency != order.currency { flags.insert(.currencyDiffers) }
        }
        return flags
    }

    private func isTaken(_ orderNumber: String) throws -> Bool {
        try statements["SELECT 1 FROM orders WHERE order_number = ? AND number_counts = 1 LIMIT 1"]
            .first({ $0.add(orderNumber) }) { _ in true } ?? false
    }

    private func countStock(_ sku: String, _ soldMilli: Int64) throws -> Set<IntakeFlag> {
        guard let listed = try products.product(sku, with: statements) else { return [] }
        let (sold, overflows) = listed.soldMilli.addingReportingOverflow(soldMilli)
        guard !overflows else { return [] }
        products.sell(sku, upTo: sold)
        guard let stock = listed.stockMilli, soldMilli > 0 else { return [] }
        return stock < sold ? [.stockNegative] : []
    }

    func publish(_ change: PublishedChange) throws { try db.publish(change) }
}
