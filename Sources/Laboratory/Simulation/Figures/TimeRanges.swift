package import Base

/// Intervals of time in order, none adjacent to the next.
package struct TimeRanges: Hashable, Sendable {
    /// An interval that is never empty.
    package struct Interval: Hashable, Sendable {
        /// The first moment inside.
        package let start: Instant
        /// The first moment after it.
        package fileprivate(set) var end: Instant

        /// Always above zero.
        package var length: Duration { end - start }

        func overlap(with other: Interval) -> Duration {
            max(.zero, min(end, other.end) - max(start, other.start))
        }
    }

    /// In order of time; between two of them there is a gap.
    package private(set) var all: [Interval] = []

    package init() {}

    /// Adds one that begins no earlier than the last one ended; an empty one is left out.
    package mutating func add(_ start: Instant, _ end: Instant) {
        guard start < end else { return }
        if let last = all.indices.last, all[last].end == start {
            all[last].end = end
        } else {
            all.append(Interval(start: start, end: end))
        }
    }

    /// The sum of the lengths; gaps do not count.
    package var total: Duration { all.reduce(.zero) { $0 + $1.length } }

    /// How long both overlap.
    package func overlap(with other: TimeRanges) -> Duration { intersection(with: other).total }

    /// Where both overlap.
    package func intersection(with other: TimeRanges) -> TimeRanges {
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
