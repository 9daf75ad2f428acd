/// The numbers of the drain. The reader of the configuration refuses what is out of range.
public struct OutboxSettings: Hashable, Sendable {
    /// The most mutations in one request. Default 200 (the contract's limit), allowed 1 to 200.
    public var batchLimit: Int
    /// The most bytes of mutations in one request. Default 1 MiB less 16 KiB for the JSON around them.
    public var batchBytes: Int
    /// The most mutations in one request while the link is degraded. Default 10, allowed 1 to 200.
    public var degradedBatchLimit: Int
    /// The first step of every backoff, doubled with each failure. Default 1 s, allowed 1 ms to 60 s.
    public var backoffBase: Duration
    /// The longest backoff (`sync.maximumBackoffSeconds`). Default 12 h, allowed 1 s to 24 h.
    public var maximumBackoff: Duration
    /// How often a refused token is tried again without a request. Default 1 min, allowed 1 s to 24 h.
    public var signInRetry: Duration
    /// How often a refused version and a superseded epoch are tried again without a request. Default 1 h,
    /// allowed 1 s to 24 h.
    public var upgradeRetry: Duration

    /// Every number has its default; the reader of the configuration checks the ranges, not this initializer.
    public init(
        batchLimit: Int = 200, batchBytes: Int = (1 << 20) - (16 << 10), degradedBatchLimit: Int = 10,
        backoffBase: Duration = .seconds(1), maximumBackoff: Duration = .seconds(12 * 3_600),
        signInRetry: Duration = .seconds(60), upgradeRetry: Duration = .seconds(3_600)
    ) {
        self.batchLimit = batchLimit
        self.batchBytes = batchBytes
        self.degradedBatchLimit = degradedBatchLimit
        self.backoffBase = backoffBase
        self.maximumBackoff = maximumBackoff
        self.signInRetry = signInRetry
        self.upgradeRetry = upgradeRetry
    }
}
