package import Base
import OfflineCore

/// A time for which a link is dead.
package struct Hole: Hashable, Sendable {
    /// From the start of the link's recording.
    package let start: Instant
    /// How long the link is dead; it may last beyond the recording's end.
    package let length: Duration

    /// Makes a hole; one of length zero has no effect.
    package init(start: Instant, length: Duration) {
        self.start = start
        self.length = length
    }
}

extension LinkTrace {
    /// A link that is up for `duration` except during `holes`, in any order, which may overlap and extend
    /// beyond its end.
    package init(holes: [Hole], roundTrip: Duration? = nil, for duration: Duration) {
        let zero = Instant(nanoseconds: 0)
        var rows = [Row(start: zero, isUp: true, roundTrip: roundTrip)]
        var deadUntil = zero
        for hole in holes.sorted(by: { $0.start < $1.start }) where hole.start < zero + duration {
            if hole.start > deadUntil {
                if deadUntil > zero { rows.append(Row(start: deadUntil, isUp: true, roundTrip: roundTrip)) }
                rows.append(Row(start: hole.start, isUp: false, roundTrip: roundTrip))
            } else if rows.count == 1 {
                rows = [Row(start: zero, isUp: false, roundTrip: roundTrip)]
            }
            deadUntil = max(deadUntil, hole.start + hole.length)
        }
        if deadUntil > zero, deadUntil < zero + duration {
            rows.append(Row(start: deadUntil, isUp: true, roundTrip: roundTrip))
        }
        self.init(rows: rows, end: zero + duration)
    }
}
