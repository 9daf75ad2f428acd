/// Durations in whole nanoseconds, and what they say together.
struct Samples {
    private var sorted: [Int64] = []
    private var isSorted = true

    mutating func add(_ nanoseconds: Int64) {
        sorted.append(nanoseconds)
        isSorted = false
    }

    /// Every sample, in no order.
    var all: [Int64] { sorted }

    /// The smallest sample that `share` of all are not above: 0.5 is the median. 0 without samples.
    mutating func percentile(_ share: Double) -> Double {
        if !isSorted { sorted.sort() }
        isSorted = true
        guard let last = sorted.indices.last else { return 0 }
        let rank = Int((Double(sorted.count) * share).rounded(.up)) - 1
        return Double(sorted[min(max(rank, 0), last)])
    }

    mutating func median() -> Double { percentile(0.5) }
    mutating func largest() -> Double { percentile(1) }
}
