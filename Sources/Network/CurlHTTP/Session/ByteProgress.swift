import Base
internal import OfflineCore

/// Whether the bytes of a request move, by looks at its connection's count of them.
///
/// The count is the kernel's, of bytes that the peer acknowledged or sent: what lies in this machine's own
/// buffers has not moved.
struct ByteProgress: Sendable {
    /// What a look showed.
    enum Look: Hashable, Sendable {
        /// Bytes moved, and no complete interval is over.
        case notDue
        /// Bytes moved in the interval from `since` to now, and not too slowly.
        case moves(since: Instant)
        /// Nothing moved for an interval, or too little in it.
        case stands
    }

    private struct Interval {
        var start: Instant
        var bytes: Int64
    }

    private var interval: Interval?
    /// When the last byte moved, as far as looks have shown.
    private var movedAt: Instant?
    /// When it is looked at next; nil before the first look.
    private(set) var nextLook: Instant?
    /// Whether bytes moved at the last look.
    private(set) var isMoving = false

    /// The slowest line that counts, in bytes a second: a sale of 1.6 kB needs 4.6 s over it. Halved, a
    /// trickle holds a request for longer; doubled, half of a line of 8 kbit/s counts as none.
    static let slowest: Int64 = 350

    /// - Parameters:
    ///   - openSince: when the request got its connection.
    ///   - length: of an interval.
    ///   - bytes: counted on the connection so far, by this request and by those before it; less than 0 where
    ///     they cannot be counted.
    ///   - lastMovedAt: when the last of them moved.
    mutating func look(
        openSince: Instant, every length: Duration, bytes: Int64, movedAt lastMovedAt: Instant,
        at now: Instant
    ) -> Look {
        guard let before = interval else {
            interval = Interval(start: openSince, bytes: bytes)
            nextLook = openSince + length
            return .notDue
        }
        if bytes > before.bytes { movedAt = lastMovedAt }
        let last = max(openSince, movedAt ?? openSince)
        let isSilent = now >= last + length
        guard isSilent || now >= before.start + length else {
            nextLook = min(before.start, last) + length
            return .notDue
        }
        interval = Interval(start: now, bytes: bytes)
        let needed = Self.slowest * (now - before.start).wholeMilliseconds / 1_000
        isMoving = !isSilent && bytes - before.bytes >= needed
        nextLook = (isMoving ? min(now, last) : now) + length
        return isMoving ? .moves(since: before.start) : .stands
    }
}
