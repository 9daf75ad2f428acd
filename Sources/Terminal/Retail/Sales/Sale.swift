public import Base

/// A sale about to be recorded.
public struct SaleDraft: Hashable, Sendable {
    /// The cashier's key: a second draft of the same key records nothing.
    public let key: ULID
    /// Given when a card intent made it ahead; nil: made with the sale.
    public let orderId: String?
    /// The business day by the wall clock; the ledger never uses a day before the last one used.
    public let businessDay: BusinessDay
    public let content: SaleContent

    public init(key: ULID, orderId: String?, businessDay: BusinessDay, content: SaleContent) {
        self.key = key
        self.orderId = orderId
        self.businessDay = businessDay
        self.content = content
    }
}

/// A sale that is durable on this terminal.
public struct Sale: Hashable, Sendable {
    public let key: ULID
    /// A ULID.
    public let orderId: String
    public let orderNumber: OrderNumber
    /// The mutation that carries the sale to the hub.
    public let mutationId: String
    public let content: SaleContent
    /// Whether the hub's acknowledgement is on disk.
    public let isAcknowledged: Bool
    /// Unix milliseconds when it was voided; nil: it was not.
    public let voidedAt: Int64?
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    public let shortCode: String?

    public init(
        key: ULID, orderId: String, orderNumber: OrderNumber, mutationId: String, content: SaleContent,
        isAcknowledged: Bool, voidedAt: Int64?, shortCode: String? = nil
    ) {
        self.key = key
        self.orderId = orderId
        self.orderNumber = orderNumber
        self.mutationId = mutationId
        self.content = content
        self.isAcknowledged = isAcknowledged
        self.voidedAt = voidedAt
        self.shortCode = shortCode
    }
}
