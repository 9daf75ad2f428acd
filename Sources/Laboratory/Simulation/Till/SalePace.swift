package import Base

/// When sales are made; the same for all compared settings.
package struct SalePace: Sendable {
    private enum Kind: Sendable {
        case none
        case every(Duration)
        case drawn(perHour: UInt64, SplitMix64)
        case listed(ArraySlice<Instant>)
    }

    private var kind: Kind

    /// An idle till.
    package static let none = SalePace(kind: .none)

    /// One after each `interval`, from the start.
    package static func every(_ interval: Duration) -> SalePace { SalePace(kind: .every(interval)) }

    /// Random, `perHour` of them on average, at full seconds. Allowed 1 to 3600.
    package static func drawn(perHour: UInt64, seed: UInt64) -> SalePace {
        SalePace(kind: .drawn(perHour: perHour, SplitMix64(seed: seed)))
    }

    /// At these moments, in order.
    package static func listed(_ moments: [Instant]) -> SalePace { SalePace(kind: .listed(moments[...])) }

    /// All sales of a till that starts at zero and is watched for `duration`.
    package func moments(for duration: Duration) -> [Instant] {
        var pace = self
        var moments: [Instant] = []
        var sale = pace.first(from: Instant(nanoseconds: 0))
        while let moment = sale, moment < Instant(nanoseconds: 0) + duration {
            moments.append(moment)
            sale = pace.next(after: moment)
        }
        return moments
    }

    /// The first sale of a till that starts at `start`; nil when it sells nothing.
    mutating func first(from start: Instant) -> Instant? {
        if case .every = kind { return start }
        return next(after: start)
    }

    /// The sale that follows the one at `sale`.
    mutating func next(after sale: Instant) -> Instant? {
        switch kind {
        case .none: return nil
        case .every(let interval): return sale + interval
        case .drawn(let perHour, var random):
            // One random decision each second makes the waits between sales exponential.
            var seconds: Int64 = 1
            while random.below(3_600) >= perHour { seconds += 1 }
            kind = .drawn(perHour: perHour, random)
            return sale + .seconds(seconds)
        case .listed(var left):
            let moment = left.popFirst()
            kind = .listed(left)
            return moment
        }
    }
}
