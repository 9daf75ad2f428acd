public import OfflineMode

/// The response to the cashier's front end about a sale, after it is durable.
public struct SaleAnswer: Hashable, Sendable {
    public let sale: Sale
    /// The receipt as text, 40 columns.
    public let receipt: String
    /// Acknowledged or pending: whether the hub has the sale already.
    public let sync: SyncState
    /// How long the commit alone took.
    public let durable: Duration
    /// From the request's arrival to this response.
    public let elapsed: Duration

    public init(sale: Sale, receipt: String, sync: SyncState, durable: Duration, elapsed: Duration) {
        self.sale = sale
        self.receipt = receipt
        self.sync = sync
        self.durable = durable
        self.elapsed = elapsed
    }
}
