public import OfflineMode

/// The response to the cashier's front end about a sale, after it is durable.
public struct SaleResult: Hashable, Sendable {
    /// The sale as recorded, also when an earlier request of the same key made it.
    public let sale: Sale
    /// The receipt as text, 40 columns.
    public let receipt: String
    /// Acknowledged or pending: whether the hub has the sale already.
    public let sync: SyncState
    /// How long the commit alone took.
    public let durable: Duration
    /// From the request's arrival to this response.
    public let elapsed: Duration

    /// Makes a response; both durations are of the monotonic clock.
    public init(sale: Sale, receipt: String, sync: SyncState, durable: Duration, elapsed: Duration) {
        self.sale = sale
        self.receipt = receipt
        self.sync = sync
        self.durable = durable
        self.elapsed = elapsed
    }
}
