public import HubProtocol

/// An order as the hub has it.
public struct OrderState: Hashable, Sendable {
    /// The mutation that it was accepted with.
    public let mutationId: String
    /// The mutation that voided it; nil while it is not voided.
    public let voidedBy: String?
    /// The store that sold it.
    public let storeId: String

    /// Makes the state; nil in `voidedBy` for an order that is not voided.
    public init(mutationId: String, voidedBy: String?, storeId: String) {
        self.mutationId = mutationId
        self.voidedBy = voidedBy
        self.storeId = storeId
    }

    var isVoided: Bool { voidedBy != nil }

    func json(orderId: String) -> JSONValue {
        [
            "orderId": .string(orderId), "mutationId": .string(mutationId),
            "state": .string(name), "voidedBy": JSONValue(voidedBy),
        ]
    }

    fileprivate var name: String { isVoided ? "voided" : "completed" }
}

/// An entity of the feed as the hub has it.
public struct EntityState: Hashable, Sendable {
    /// From 1 on, one more with each change.
    let version: Int64
    let isDeleted: Bool
    /// Nil for a deleted one.
    let value: JSONValue?

    /// Makes the state from a row of the feed; a deleted entity has no `value`.
    public init(version: Int64, isDeleted: Bool, value: JSONValue?) {
        self.version = version
        self.isDeleted = isDeleted
        self.value = value
    }

    var json: JSONValue {
        ["version": .integer(version), "deleted": .bool(isDeleted), "value": value ?? .null]
    }
}

/// A sale with what came back of it.
public struct RefundableOrder: Hashable, Sendable {
    /// Nil for a sale that was not accepted; refunds of it are there nevertheless.
    let state: OrderState?
    /// Nil when its document cannot be read as a sale.
    let sale: OrderFacts?
    let refundIds: Set<String>
    let refunds: [RefundFacts]

    /// - Parameters:
    ///   - document: the sale's mutation as it is kept.
    ///   - refunds: ids and amounts, with quantities by sku.
    public init(
        _ state: OrderState?, document: JSONValue,
        refunds: [(id: String, total: Int64, quantities: JSONValue)]
    ) {
        self.state = state
        sale = document["payload"].flatMap { try? OrderFacts(payload: $0) }
        refundIds = Set(refunds.map(\.id))
        self.refunds = refunds.map { _, total, quantities in
            RefundFacts(total: total, quantities: (quantities.object ?? [:]).compactMapValues(\.integer))
        }
    }

    func json(orderId: String) -> JSONValue {
        let refunded = refunds.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
        return [
            "orderId": .string(orderId), "state": JSONValue(state?.name),
            "total": JSONValue(sale?.total), "refunded": .integer(refunded),
        ]
    }
}

extension RefundFacts {
    /// The quantities as the stores keep them.
    public var quantitiesJSON: JSONValue { .object(JSONObject(quantities.mapValues(JSONValue.integer))) }
}
