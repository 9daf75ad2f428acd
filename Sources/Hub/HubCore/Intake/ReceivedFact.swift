import HubProtocol

/// The payload of a mutation, read once for all rules.
enum ReceivedFact: Sendable {
    indirect case order(CompletedOrder)
    indirect case refund(CompletedRefund)
    indirect case void(VoidedOrder)
    /// Of a type whose rules read it themselves.
    case other

    init(_ mutation: Mutation) throws(ShapeError) {
        switch mutation.type {
        case CompletedOrder.type: self = .order(try CompletedOrder(received: mutation.payload))
        case CompletedRefund.type: self = .refund(try CompletedRefund(json: mutation.payload))
        case VoidedOrder.type: self = .void(try VoidedOrder(json: mutation.payload))
        case _: self = .other
        }
    }

    var order: CompletedOrder? { if case .order(let order) = self { order } else { nil } }
    var void: VoidedOrder? { if case .void(let void) = self { void } else { nil } }
    var refund: CompletedRefund? { if case .refund(let refund) = self { refund } else { nil } }

    /// The amounts of a sale or a refund for the journal feed; nil for others: a void needs its sale.
    var document: SaleDocument? {
        switch self {
        case .order(let order): SaleDocument(of: order)
        case .refund(let refund): SaleDocument(of: refund)
        case .void, .other: nil
        }
    }

    /// What a void or refund says that it gave back.
    var returnedPoints: ReturnedPoints? {
        switch self {
        case .refund(let refund): refund.points
        case .void(let void): void.points
        case .order, .other: nil
        }
    }
}

extension EntryMembers {
    /// What a payload names as its order, as the hub looks it up; nil: nothing.
    var namedOrder: String? { orderId.map(TextBound.key) }
}
