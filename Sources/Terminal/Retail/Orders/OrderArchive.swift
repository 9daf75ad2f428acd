public import OfflineCore
public import OfflineMode

/// The orders of this terminal on its disk.
public protocol OrderArchive: Sendable {
    /// The newest orders first.
    ///
    /// - Parameter limit: at most so many.
    func newest(limit: Int) async throws(StorageError) -> [Order]

    /// The newest orders that match `search` first, at most `limit`.
    func orders(
        matching search: OrderSearch, limit: Int
    ) async throws(StorageError) -> [Order]

    /// The order with this id or order number; nil when there is none.
    func order(_ idOrNumber: String) async throws(StorageError) -> Order?

    /// Voids an order in one transaction: `order.voided` after the order under its ordering key, its stock
    /// back, and `payment.voided` for a card payment. Does nothing when it is voided already, or was
    /// refunded.
    ///
    /// - Returns: the order as it is now.
    func void(
        orderId: String, with entry: VoidEntry
    ) async throws(StorageError) -> Order

    /// Refunds goods of an order in one transaction: `refund.completed` after the order under its ordering
    /// key, its stock back. Does nothing when the entry's key has refunded before.
    ///
    /// - Returns: the refund, or why there is none.
    func refund(
        orderId: String, with entry: RefundEntry
    ) async throws(StorageError) -> Result<Refund, OrderRefusal>

    /// Refunds goods of a sale that this terminal does not hold, in one transaction: `refund.completed` with
    /// the receipt's code, and the stock back. Does nothing when the entry's key has refunded before.
    ///
    /// - Returns: the refund, or why there is none; a limit of `sale` is compared within the transaction.
    func refund(
        of sale: AbsentSale, with entry: RefundEntry
    ) async throws(StorageError) -> Result<Refund, OrderRefusal>
}

/// A sale with its state at the hub.
public struct Order: Hashable, Sendable {
    /// The sale as recorded; its ``Sale/voidedAt`` shows a void.
    public let sale: Sale
    /// The state of the order's newest mutation. An order whose mutation was discarded stays on this
    /// terminal.
    public let sync: SyncState
    /// Its refunds at this terminal, oldest first. A refund that the hub refused and a person discarded is
    /// among them, since its cash left the drawer.
    public let refunds: [Refund]

    /// Makes an order; without `refunds` nothing of it came back.
    public init(sale: Sale, sync: SyncState, refunds: [Refund] = []) {
        self.sale = sale
        self.sync = sync
        self.refunds = refunds
    }
}

/// Who voids an order, when and why.
public struct VoidEntry: Hashable, Sendable {
    /// The mode at the begin of the void; it travels in the mutation.
    public let mode: Mode
    /// Unix milliseconds of the wall clock.
    public let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    public let businessDay: BusinessDay
    /// Who voids it; nil in a store without cashiers, unless the request names one.
    public let cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    public let approverId: String?
    /// The reason as typed; nil: none was given.
    public let reason: String?
    /// Its attachments, a signed receipt for example.
    public let attachments: [Attachment]

    /// Makes an entry. Without `approverId` no approver was needed; without `attachments` it carries none.
    public init(
        mode: Mode, madeAt: Int64, businessDay: BusinessDay, cashierId: String?,
        approverId: String? = nil, reason: String?,
        attachments: [Attachment] = []
    ) {
        self.mode = mode
        self.madeAt = madeAt
        self.businessDay = businessDay
        self.cashierId = cashierId
        self.approverId = approverId
        self.reason = reason
        self.attachments = attachments
    }
}
