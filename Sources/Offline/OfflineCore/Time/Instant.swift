/// A moment on the terminal's monotonic clock.
///
/// The clock does not advance while the machine is suspended and never steps, so differences between two
/// instants are time in which the terminal ran. The zero is arbitrary (the boot of the machine).
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

extension Duration {
    /// The duration in nanoseconds, the part below one nanosecond dropped. About ±292 years fit.
    public var wholeNanoseconds: Int64 {
        Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, the part below one millisecond dropped.
    public var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
