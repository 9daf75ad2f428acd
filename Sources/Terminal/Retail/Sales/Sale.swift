package import Base

internal import Pricing

/// A sale about to be recorded.
package struct SaleDraft: Hashable, Sendable {
    /// The cashier's key: a second draft of the same key records nothing.
    package let key: ULID
    /// Given when a card intent made it ahead; nil: made with the sale.
    package let orderId: String?
    /// The business day by the wall clock; the ledger never uses a day before the last one used.
    package let businessDay: BusinessDay
    /// Everything else of the sale; the ledger adds the numbers.
    package let content: SaleContent
    /// Its cards that were taken without a payment service; the ledger counts them in its own transaction.
    package var storedCards: [StoredCard] = []
    /// The cards' charges that it takes over, with their proofs.
    package var charges: [DeviceRequest] = []
    /// Whether it is recorded in an open shift alone.
    package var requiresShift: Bool

    /// Makes a draft; nil as `orderId` lets the ledger mint one, and no shift has to be open by default.
    package init(
        key: ULID, orderId: String?, businessDay: BusinessDay, content: SaleContent,
        requiresShift: Bool = false
    ) {
        self.requiresShift = requiresShift
        self.key = key
        self.orderId = orderId
        self.businessDay = businessDay
        self.content = content
    }
}

/// A sale that is durable on this terminal.
package struct Sale: Hashable, Sendable {
    /// The request's idempotency key; the same one again returns this sale.
    package let key: ULID
    /// A ULID.
    package let orderId: String
    /// Assigned in the transaction that recorded the sale.
    package let orderNumber: OrderNumber
    /// The mutation that carries the sale to the hub.
    package let mutationId: String
    /// As committed; a void or a refund never changes it.
    package let content: SaleContent
    /// Whether the hub's acknowledgement is on disk.
    package let isAcknowledged: Bool
    /// Unix milliseconds when it was voided; nil: it was not.
    package let voidedAt: Int64?
    /// Ten characters of the hash of the journal's entry, for paper; nil where there is no journal.
    package let shortCode: String?
    /// Minor units that goods which came back for it paid, in the record as its first cash; nil: it is no
    /// exchange.
    package var returnedWorth: Int64?

    /// What of its payments is no money, but goods that came back for it; nil: nothing.
    package var goodsReturned: SalePayment? {
        content.payments.first.flatMap { $0.method.isCash && $0.amount == returnedWorth ? $0 : nil }
    }

    /// Makes a sale as read from the store; without `shortCode` there is no journal.
    package init(
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
