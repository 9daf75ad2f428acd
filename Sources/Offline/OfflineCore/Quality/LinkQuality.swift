import Base

/// Measures how well a working link carries HTTP, from the last few samples.
struct LinkQuality: Hashable, Codable, Sendable {
    private struct Sample: Hashable, Codable, Sendable {
        let at: Int64
        /// Nanoseconds; `Int64.max` for a failure, so that failures are the slowest.
        let latency: Int64
        /// A failure, or so slow that it could make the link degraded.
        let isBad: Bool
    }

    let settings: QualitySettings
    private let window: Int64
    private let degradedLatency: Int64
    /// A ring of at most `settings.samples`; `oldest` is the next to be overwritten once it is full.
    private var samples: [Sample] = []
    private var oldest = 0
    /// How many of the samples are bad. A good link without any needs no decision.
    private var bad = 0
    private(set) var isDegraded = false
    private var changedAt: Instant?

    init(settings: QualitySettings) {
        self.settings = settings
        window = settings.window.wholeNanoseconds
        degradedLatency = settings.degradedLatency.wholeNanoseconds
    }

    /// Records a response (`latency`) or a failure (nil) and decides again.
    mutating func note(latency: Duration?, at now: Instant) {
        let nanoseconds = latency?.wholeNanoseconds ?? .max
        let sample = Sample(
            at: now.nanoseconds, latency: nanoseconds, isBad: nanoseconds > degradedLatency)
        if sample.isBad { bad += 1 }
        if samples.count < settings.samples {
            samples.append(sample)
        } else {
            if samples[oldest].isBad { bad -= 1 }
            samples[oldest] = sample
            oldest = (oldest + 1) % samples.count
        }
        if isDegraded || bad > 0 { judge(at: now) }
    }

    /// Drops the samples; the last decision stays.
    mutating func dropSamples() {
        samples.removeAll(keepingCapacity: true)
        oldest = 0
        bad = 0
    }

    /// The window as it is shown.
    func status(at now: Instant) -> QualityStatus {
        let recent = samples.filter { now.nanoseconds - $0.at <= window }.map(\.latency)
        let responses = recent.filter { $0 != .max }.sorted()
        return QualityStatus(
            samples: recent.count, failures: recent.count - responses.count,
            median: responses.percentile(50), percentile95: responses.percentile(95), isDegraded: isDegraded)
    }

    private mutating func judge(at now: Instant) {
        var count = 0
        var failed = 0
        // The two slowest responses: the 95th percentile of twenty is the second.
        var slowest: Int64 = 0
        var second: Int64 = 0
        for sample in samples where now.nanoseconds - sample.at <= window {
            count += 1
            guard sample.latency != .max else {
                failed += 1
                continue
            }
            if sample.latency > slowest {
                second = slowest
                slowest = sample.latency
            } else if sample.latency > second {
                second = sample.latency
            }
        }
        guard count >= settings.minimumSamples else { return }
        judge(failed: failed, of: count, latency: count - failed >= 20 ? second : slowest, at: now)
    }

    private mutating func judge(failed: Int, of count: Int, latency: Int64, at now: Instant) {
        let percentile = Duration.nanoseconds(latency)
        if isDegraded {
            let isGood = failed * 1_000 <= settings.goodPerMille * count && percentile <= settings.goodLatency
            guard isGood, changedAt.map({ now >= $0 + settings.dwell }) ?? true else { return }
        } else {
            let isBad =
                failed * 1_000 >= settings.degradedPerMille * count || percentile > settings.degradedLatency
            guard isBad else { return }
        }
        isDegraded.toggle()
        changedAt = now
    }
}

extension [Int64] {
    /// The nearest-rank percentile of sorted nanoseconds; nil of none.
    fileprivate func percentile(_ percent: Int) -> Duration? {
        isEmpty ? nil : .nanoseconds(self[(count * percent + 99) / 100 - 1])
    }
}
