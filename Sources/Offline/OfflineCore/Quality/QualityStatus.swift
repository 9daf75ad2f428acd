/// How well the link to the hub carries HTTP, according to the window of samples.
public struct QualityStatus: Hashable, Sendable {
    /// How many samples are in the window.
    public let samples: Int
    /// How many of them failed.
    public let failures: Int
    /// Half of the responses came within this time; nil without any. Nearest rank.
    public let median: Duration?
    /// 95 of 100 responses came within this time; nil without any. Nearest rank.
    public let percentile95: Duration?
    /// The present decision, which may be older than the samples.
    public let isDegraded: Bool

    /// `failures` is at most `samples`; `median` and `percentile95` are nil without a response.
    public init(samples: Int, failures: Int, median: Duration?, percentile95: Duration?, isDegraded: Bool) {
        self.samples = samples
        self.failures = failures
        self.median = median
        self.percentile95 = percentile95
        self.isDegraded = isDegraded
    }

    /// Nothing was measured yet.
    public static let unmeasured = QualityStatus(
        samples: 0, failures: 0, median: nil, percentile95: nil, isDegraded: false)
}
