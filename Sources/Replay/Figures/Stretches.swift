public import OfflineCore

/// Stretches of time one after the other, none touching the next.
public struct Stretches: Hashable, Sendable {
    public struct Stretch: Hashable, Sendable {
        public let start: Instant
        public fileprivate(set) var end: Instant

        public var length: Duration { end - start }

        func overlap(with other: Stretch) -> Duration {
            max(.zero, min(end, other.end) - max(start, other.start))
        }
    }

    public private(set) var all: [Stretch] = []

    public init() {}

    /// Adds one that begins no earlier than the last one ended; an empty one is left out.
    public mutating func add(_ start: Instant, _ end: Instant) {
        guard start < end else { return }
        if let last = all.indices.last, all[last].end == start {
            all[last].end = end
        } else {
            all.append(Stretch(start: start, end: end))
        }
    }

    public var total: Duration { all.reduce(.zero) { $0 + $1.length } }

    /// How long both lasted at once.
    public func overlap(with other: Stretches) -> Duration {
        var sum = Duration.zero
        var (mine, theirs) = (0, 0)
        while mine < all.count, theirs < other.all.count {
            sum += all[mine].overlap(with: other.all[theirs])
            if all[mine].end < other.all[theirs].end { mine += 1 } else { theirs += 1 }
        }
        return sum
    }
}
