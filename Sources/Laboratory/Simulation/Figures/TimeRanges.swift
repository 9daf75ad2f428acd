public import Base

/// Intervals of time in order, none adjacent to the next.
public struct TimeRanges: Hashable, Sendable {
    /// An interval that is never empty.
    public struct Interval: Hashable, Sendable {
        /// The first moment inside.
        public let start: Instant
        /// The first moment after it.
        public fileprivate(set) var end: Instant

        /// Always above zero.
        public var length: Duration { end - start }

        func overlap(with other: Interval) -> Duration {
            max(.zero, min(end, other.end) - max(start, other.start))
        }
    }

    /// In order of time; between two of them there is a gap.
    public private(set) var all: [Interval] = []

    /// Makes a list without intervals.
    public init() {}

    /// Adds one that begins no earlier than the last one ended; an empty one is left out.
    public mutating func add(_ start: Instant, _ end: Instant) {
        guard start < end else { return }
        if let last = all.indices.last, all[last].end == start {
            all[last].end = end
        } else {
            all.append(Interval(start: start, end: end))
        }
    }

    /// The sum of the lengths; gaps do not count.
    public var total: Duration { all.reduce(.zero) { $0 + $1.length } }

    /// How long both overlap.
    public func overlap(with other: TimeRanges) -> Duration { intersection(with: other).total }

    /// Where both overlap.
    public func intersection(with other: TimeRanges) -> TimeRanges {
        var both = TimeRanges()
        var (mine, theirs) = (0, 0)
        while mine < all.count, theirs < other.all.count {
            let (left, right) = (all[mine], other.all[theirs])
            both.add(max(left.start, right.start), min(left.end, right.end))
            if left.end < right.end { mine += 1 } else { theirs += 1 }
        }
        return both
    }

    /// Each of them moved by `offset`.
    func shifted(by offset: Duration) -> TimeRanges {
        var moved = TimeRanges()
        for interval in all { moved.add(interval.start + offset, interval.end + offset) }
        return moved
    }

    /// Adds all of `other`, which begins no earlier than these end.
    mutating func append(_ other: TimeRanges) {
        for interval in other.all { add(interval.start, interval.end) }
    }
}
