import HubCore
import HubProtocol

/// What a mutation does to the hub's state (``IntakeEffect``), the same for every store.
extension IntakeTransaction {
    /// Performs an effect and returns the flags that it raises.
    func perform(_ effect: IntakeEffect, for record: MutationRecord) throws -> Set<IntakeFlag> {
        switch effect {
        case .recordOrder(let order):
            return try recordOrder(order, for: record)
        case .countStock(let sku, let soldMilli):
            guard let listed = try product(sku), let total = try sell(soldMilli, of: sku) else { return [] }
            return listed.flags(selling: soldMilli, upTo: total)
        case .voidOrder(let orderId):
            try giveCouponsBack(of: orderId, for: record)
            try markVoided(orderId, by: record.mutation.id)
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .recordRefund(let id, let orderId, let refund):
            try insertRefund(id, of: orderId, refund, for: record)
            return try order(orderId) == nil ? [.orderUnknown] : []
        case .voidPayment(let key):
            try voidPayment(key: key, of: record.device.terminalId, at: record.receivedAt)
        case .capturePayment(let key):
            try capturePayment(key: key, of: record.device.terminalId)
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
            try insertDiscard(of: mutationId, by: record)
        }
        return []
    }

    /// The order's number is compared with those before it, then the order is one of them.
    private func recordOrder(_ order: OrderFacts, for record: MutationRecord) throws -> Set<IntakeFlag> {
        var flags: Set<IntakeFlag> = []
        if try record.numberCounts && isTaken(orderNumber: order.orderNumber) {
            flags.insert(.orderNumberRepeated)
        }
        try insert(order, for: record)
        for line in order.lines {
            guard let listed = try product(line.sku) else { continue }
            flags.formUnion(listed.flags(of: line, in: order.currency))
        }
        return flags
    }
}
