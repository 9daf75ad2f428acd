package import Base
package import HubProtocol

/// Where sales are recorded permanently.
package protocol SaleLedger: Sendable {
    /// Whether a sale could be recorded now: room on the disk, a healthy store. Checked before any tender.
    func checkReadiness() async throws(StorageError)

    /// The same without a change on the disk, for whoever only looks.
    func readiness() async throws(StorageError)

    /// Whether a shift is open at this terminal.
    func openShift() async throws(StorageError) -> String?

    /// The sale that was recorded under `key`; nil when none was.
    func sale(key: ULID) async throws(StorageError) -> Sale?

    /// The number of the newest order here that a voucher paid; nil: none, or its money is back.
    ///
    /// - Parameters:
    ///   - method: the tender.
    ///   - number: the voucher's, as typed.
    func order(paidBy method: String, _ number: String) async throws(StorageError) -> String?

    /// Records the complete sale in one transaction: order, lines, payments, stock, counters, journal and
    /// outbox.
    ///
    /// Durable when it returns, and not undone by cancelling the caller. A key that is known already records
    /// nothing and returns the first sale. The order's card intent is settled with it.
    func commit(_ draft: SaleDraft) async throws(StorageError) -> CommittedSale

    /// Records a refund and the sale that its worth pays a part of in one transaction. A key that is known
    /// already records nothing.
    ///
    /// - Returns: the sale with its refund, or why the goods cannot come back; then neither is recorded.
    func commit(
        _ draft: SaleDraft, for refund: RefundDraft
    ) async throws(StorageError) -> Result<CommittedSale, OrderRefusal>
}

/// What ``SaleLedger/commit(_:)`` did.
package struct CommittedSale: Hashable, Sendable {
    /// The new sale, or the first one of the same key.
    package let sale: Sale
    /// How long the transaction took; zero for a sale that was there already.
    package let durable: Duration
    /// What came back for it in the same transaction; nil: nothing.
    package let refund: Refund?

    /// Makes the outcome of a commit; by default nothing came back.
    package init(sale: Sale, durable: Duration, refund: Refund? = nil) {
        self.sale = sale
        self.durable = durable
        self.refund = refund
    }
}

/// Why the store on disk did not read or record what one of these ports asked for. Nothing was recorded.
package enum StorageError: Error, Hashable, Sendable {
    /// No room on the disk of `path`. Free space, then sell again.
    case diskFull(path: String)
    /// The terminal has no store and number yet: run `pos init`.
    case notEnrolled
    /// The store failed; `detail` is the store's own text. It was closed, and the next call opens it again.
    case unavailable(detail: String)
    /// Another sale of this terminal spent the lease meanwhile, and `left` is left of it.
    case leaseSpent(LeaseUse, left: Int64)
    /// Another till of the store has the cart whose sale it would be.
    case cartGranted(to: String)
}
