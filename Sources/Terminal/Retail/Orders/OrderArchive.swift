package import OfflineCore
package import OfflineMode

/// The orders of this terminal on its disk.
package protocol OrderArchive: Sendable {
    /// The newest orders that match `search` first, at most `limit`.
    ///
    /// - Parameter orderId: only older orders than this one, and none where it is unknown; nil: from the
    ///   newest on.
    func orders(
        matching search: OrderSearch, limit: Int, before orderId: String?
    ) async throws(StorageError) -> [Order]

    /// What was sold, voided and refunded since `moment`, Unix milliseconds, in its order. Of the newest some
    /// thousand entries.
    func events(since moment: Int64) async throws(StorageError) -> [OrderEvent]

    /// The order with this id or order number; nil when there is none.
    func order(_ idOrNumber: String) async throws(StorageError) -> Order?

    /// Voids an order in one transaction: `order.voided` after the order under its ordering key, its stock
    /// back, `payment.voided` for a card payment, and what the terminal's machine charged is to be given
    /// back (``CardReturnLedger``). Does nothing when it is voided already, or was
    /// refunded.
    ///
    /// - Returns: the order as it is now.
    func void(
        orderId: String, with entry: VoidEntry
    ) async throws(StorageError) -> Order

    /// What a refund would come to now. Nothing is recorded.
    func plan(
        _ refund: RefundDraft
    ) async throws(StorageError) -> Result<RefundPlan, OrderRefusal>

    /// Refunds goods in one transaction: `refund.completed`, after the order under its ordering key where the
    /// order is here, their stock back, and what the card machine has to give back (``CardReturnLedger``).
    /// Does nothing when the draft's key has refunded before.
    ///
    /// - Returns: the refund, or why there is none; limits are compared within the transaction.
    func refund(_ refund: RefundDraft) async throws(StorageError) -> Result<Refund, OrderRefusal>

    /// The refund of this id; nil: there is none.
    func refund(id: String) async throws(StorageError) -> Refund?
}

/// A refund about to be recorded.
package struct RefundDraft: Hashable, Sendable {
    /// The sale that goods come back of.
    package enum Source: Hashable, Sendable {
        /// An order of this terminal, by its id.
        case order(String)
        case absent(AbsentSale)
    }

    /// The sale that goods come back of.
    package private(set) var source: Source
    /// Who refunds what of it, when and why.
    package internal(set) var entry: RefundEntry
    /// What notes of other tills say was given back of the sale, in minor units by the refunds' ids.
    package internal(set) var noted: [String: Int64] = [:]
    /// What the customer is to get for it, in minor units, where that was said before; another amount is
    /// refused. Nil: not compared.
    package var promised: Int64?
    /// Whether money of a card, wallet or voucher goes back in cash, which needs an approver.
    package var isCardInCash = false
    /// Whether the hub was to decide about it, so that it may have reserved it.
    var mayBeReserved = false
    /// Whether the till that sold it was to decide, so that it may have granted it.
    var isClaimed = false
    /// Whether a manager allowed more than ``AbsentSale/limits``.
    package var isAboveLimits = false

    package init(of source: Source, with entry: RefundEntry) {
        self.source = source
        self.entry = entry
    }

    /// The same goods of the sale as it is known now.
    func of(_ source: Source) -> RefundDraft {
        var draft = self
        draft.source = source
        return draft
    }
}

/// A sale with its state at the hub.
package struct Order: Hashable, Sendable {
    /// The sale as recorded; its ``Sale/voidedAt`` shows a void.
    package let sale: Sale
    /// The state of the order's newest mutation. An order whose mutation was discarded stays on this
    /// terminal.
    package let sync: SyncState
    /// Its refunds at this terminal, oldest first. A refund that the hub refused and a person discarded is
    /// among them, since its cash left the drawer.
    package let refunds: [Refund]
    /// What the terminal's card machine gives back for its void, and how far it is; empty: nothing.
    package let returns: [CardReturn]

    /// Makes an order; without `refunds` nothing of it came back, without `returns` nothing to cards.
    package init(sale: Sale, sync: SyncState, refunds: [Refund] = [], returns: [CardReturn] = []) {
        self.sale = sale
        self.sync = sync
        self.refunds = refunds
        self.returns = returns
    }
}

/// What a customer gets a paper of.
package enum OrderEvent: Hashable, Sendable {
    case sold(Sale)
    /// As it is now; its ``Sale/voidedAt`` is set.
    case voided(Sale)
    /// Of an order of this terminal or of another one.
    case refunded(Refund)
}

/// Who voids an order, when and why.
package struct VoidEntry: Hashable, Sendable {
    /// The mode at the begin of the void; it travels in the mutation.
    package let mode: Mode
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay
    /// Who voids it; nil in a store without cashiers, unless the request names one.
    package let cashierId: String?
    /// Whose PIN allowed it; nil: none was needed.
    package let approverId: String?
    /// The reason as typed; nil: none was given.
    package let reason: String?
    /// Its attachments, a signed receipt for example.
    package let attachments: [Attachment]
    /// Who decided that it may be made; nil: the terminal sees no other tills.
    package internal(set) var judgement: RefundJudgement?

    /// Makes an entry. Without `approverId` no approver was needed; without `attachments` it carries none.
    package init(
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
