/// A moment on the terminal's monotonic clock.
///
/// The clock does not advance while the machine is suspended and never steps, so differences between two
/// instants are time that the terminal really watched. The zero is arbitrary (the boot of the machine).
public struct Instant: Hashable, Comparable, Codable, Sendable {
    /// Nanoseconds since the clock's zero.
    public let nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration.wholeNanoseconds)
    }

    public static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds - duration.wholeNanoseconds)
    }

    public static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

extension Instant {
    /// Cheaper than adding a `Duration` where the nanoseconds are at hand.
    func advanced(by nanoseconds: Int64) -> Instant {
        Instant(nanoseconds: self.nanoseconds + nanoseconds)
    }
}
