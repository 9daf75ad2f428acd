/// The thresholds of a degraded link. A degraded link changes what sync does, never the mode.
public struct QualitySettings: Hashable, Codable, Sendable {
    /// How many HTTP samples are kept. Default 20, allowed 4 to 64.
    public var samples: Int
    /// How old a sample may be. Default 60 s, allowed 1 s to 1 h.
    public var window: Duration
    /// With fewer samples the last decision stays. Default 4, allowed 1 to `samples`.
    public var minimumSamples: Int
    /// Degraded from this share of failures on, in thousandths. Default 400.
    public var degradedPerMille: Int
    /// Degraded above this 95th percentile of the latency. Default 2 s.
    public var degradedLatency: Duration
    /// Good again at or below this share of failures, in thousandths. Default 100.
    public var goodPerMille: Int
    /// Good again at or below this 95th percentile. Default 1 s.
    public var goodLatency: Duration
    /// How long a link stays degraded at least. Default 10 s.
    public var dwell: Duration

    /// Every number has its default; the arguments are not checked.
    public init(
        samples: Int = 20, window: Duration = .seconds(60), minimumSamples: Int = 4,
        degradedPerMille: Int = 400, degradedLatency: Duration = .seconds(2), goodPerMille: Int = 100,
        goodLatency: Duration = .seconds(1), dwell: Duration = .seconds(10)
    ) {
        self.samples = samples
        self.window = window
        self.minimumSamples = minimumSamples
        self.degradedPerMille = degradedPerMille
        self.degradedLatency = degradedLatency
        self.goodPerMille = goodPerMille
        self.goodLatency = goodLatency
        self.dwell = dwell
    }
}
