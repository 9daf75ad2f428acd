package import HubProtocol

/// An order as the hub has it.
package struct OrderState: Hashable, Sendable {
    /// What it is kept under, ``EntryKey``: its id, unless another device has an order of that id.
    package let key: String
    /// The terminal that sold it.
    package let terminalId: String
    /// The key of the mutation that it was accepted with.
    package let mutationId: String
    /// The mutation that voided it; nil while it is not voided.
    package let voidedBy: String?
    /// The store that sold it.
    package let storeId: String

    /// Makes the state; nil in `voidedBy` for an order that is not voided.
    package init(key: String, terminalId: String, mutationId: String, voidedBy: String?, storeId: String) {
        self.key = key
        self.terminalId = terminalId
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

extension IntakeTransaction {
    /// The order that a terminal names by its id: its own device's, then one of its store, then any.
    func order(_ id: String, namedBy device: DeviceIdentity) throws -> OrderState? {
        let orders = try orders(named: id)
        guard orders.count > 1 else { return orders.first }
        let own = Set(try known(device).terminalIds)
        return orders.first { own.contains($0.terminalId) }
            ?? orders.first { $0.storeId == device.storeId } ?? orders.first
    }

    /// What that order is kept under; the id itself where there is none.
    func orderKey(_ id: String, namedBy device: DeviceIdentity) throws -> String {
        try order(id, namedBy: device)?.key ?? id
    }
}

/// An entity of the feed as the hub has it.
package struct EntityState: Hashable, Sendable {
    /// From 1 on, one more with each change.
    let version: Int64
    let isDeleted: Bool
    /// Nil for a deleted one.
    let value: JSONValue?

    /// Makes the state from a row of the feed; a deleted entity has no `value`.
    package init(version: Int64, isDeleted: Bool, value: JSONValue?) {
        self.version = version
        self.isDeleted = isDeleted
        self.value = value
    }

    var json: JSONValue {
        ["version": .integer(version), "deleted": .bool(isDeleted), "value": value ?? .null]
    }
}

/// A sale with what came back of it.
package struct RefundableOrder: Hashable, Sendable {
    /// What a sale is looked up by.
    package enum Key: Hashable, Sendable {
        /// What it is kept under, ``OrderState/key``.
        case id(String)
        /// The number on the receipt; a number that counts for nobody finds no sale.
        case number(String)
    }

    /// What it is kept under, ``OrderState/key``; nil for a sale that was not accepted.
    package let orderId: String?
    /// The terminal that sold it; nil for a sale that was not accepted.
    package let terminalId: String?
    /// Nil for a sale that was not accepted; refunds of it are there nevertheless.
    let state: OrderState?
    /// Nil when its document cannot be read as a sale.
    let sale: CompletedOrder?
    /// What came back of it, in the order of arrival.
    let returned: [ReturnedPart]
    /// Its void; nil while it is not voided, or nothing is known of that.
    let voiding: ReturnedPart?
    /// What terminals are about to give back of it.
    let grants: [RefundGrant]
    /// What can be read of its document.
    private let document: CompletedOrder
    let moved: MovedPoints
    /// Whether its document is in an archive, so that amounts and points are known and no articles.
    let isArchived: Bool

    /// What went out of each article, in thousandths by sku; nil where the lines are in an archive, so that
    /// sums alone decide what may come back.
    var goods: [String: Int64]? { isArchived ? nil : sale?.goods ?? [:] }

    var refundIds: Set<String> { Set(returned.map(\.refundId)) }
    /// In the order of ``returned``.
    var refunds: [RefundFacts] { returned.map(\.facts) }

    /// - Parameters:
    ///   - document: the sale's mutation as it is kept.
    ///   - moved: which of its points moved.
    ///   - returned: its refunds.
    ///   - grants: what is reserved of it; one that has ended is left out.
    ///   - voidedBy: who voided it and when; nil: nobody did.
    ///   - isArchived: whether `document` is what ``ArchiveStub`` left of it.
    package init(
        _ orderId: String?, of terminalId: String?, _ state: OrderState?, document: JSONValue,
        moved: MovedPoints, returned: [ReturnedPart], grants: [RefundGrant] = [],
        voidedBy: ReturnedPart.Origin? = nil, isArchived: Bool = false
    ) {
        self.isArchived = isArchived
        self.returned = returned
        self.grants = grants.filter { !$0.isOver }
        self.moved = moved
        self.orderId = orderId
        self.terminalId = terminalId
        self.state = state
        let sale = document["payload"].flatMap { try? CompletedOrder(received: $0) }
        self.sale = sale
        self.document = sale ?? CompletedOrder(shown: document["payload"])
        voiding = voidedBy.map {
            ReturnedPart(
                refundId: orderId ?? "",
                facts: RefundFacts(
                    total: sale?.total ?? 0, quantities: isArchived ? [:] : sale?.goods ?? [:]), origin: $0)
        }
    }

    /// The keys of the sale's payments at the payment service.
    var paymentKeys: [String] { (document.payments ?? []).compactMap(\.authorizationKey) }

    /// The member that the sale was for; nil without one.
    var memberId: String? { document.pointsMember }

    /// What the sale did to its member's points; nil: nothing.
    var points: SalePoints? { document.points.flatMap(moved.points(of:)) }

    /// What the sale used of leases; nil for a sale that is not there.
    var leaseClaim: LeaseClaim? {
        let claim = sale.map(LeaseClaim.init)
        return moved == .none ? claim?.withoutPoints : claim
    }

    /// What the sale added to the figures of sales; nil for a sale that is not there.
    var saleEntry: SaleEntry? { sale.map { SaleEntry(of: $0, SaleDocument(of: $0)) } }

    func json(orderId: String) -> JSONValue {
        let refunded = refunds.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
        return [
            "orderId": .string(orderId), "state": JSONValue(state?.name),
            "total": JSONValue(sale?.total), "refunded": .integer(refunded),
        ]
    }
}

extension RefundFacts {
    /// A refund as the stores keep it.
    package init(total: Int64, quantitiesJSON: JSONValue) {
        self.init(total: total, quantities: (quantitiesJSON.object ?? [:]).compactMapValues(\.integer))
    }

    /// The quantities as the stores keep them.
    package var quantitiesJSON: JSONValue { .object(JSONObject(quantities.mapValues(JSONValue.integer))) }
}

extension RefundableOrder {
    /// The sale as a terminal that does not hold it refunds of it; nil when it is not there, or cannot be
    /// read; and when its lines are in an archive, so that the terminal goes by those of the receipt's code.
    package var receiptSale: ReceiptSale? {
        guard orderId != nil, let state, let sale, !isArchived else { return nil }
        let lines = sale.lines.compactMap(ReceiptSale.Line.init)
        guard lines.count == sale.lines.count else { return nil }
        // One that cannot be read leaves it unknown what paid the sale.
        let payments = (sale.payments ?? []).map(ReceiptSale.Payment.init)
        return ReceiptSale(
            orderId: sale.orderId, orderNumber: sale.orderNumber, storeId: state.storeId, total: sale.total,
            currency: sale.currency, isVoided: state.isVoided, lines: lines,
            refunds: returned.map(\.shown),
            payments: payments.contains(nil) ? nil : payments.compactMap(\.self))
    }
}
