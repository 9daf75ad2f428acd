/// A moment on the terminal's monotonic clock.
///
/// The clock does not advance while the machine is suspended and never steps, so differences between two
/// instants is time in which the terminal ran. The zero is arbitrary (the boot of the machine).
/// The machines compute with instants millions of times a second, so the compiler may copy these functions
/// into other targets.
@frozen public struct Instant: Hashable, Comparable, Codable, Sendable {
    /// Nanoseconds since the clock's zero.
    public let nanoseconds: Int64

    /// Makes an instant from a reading of the clock; negative is before its zero.
    @inlinable public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Earlier instants are less. Only instants of one clock and one boot can be compared.
    @inlinable public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The part of `duration` below one nanosecond is dropped. Traps past ±292 years.
    @inlinable public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration.wholeNanoseconds)
    }

    /// As `+`, with the sign changed.
    @inlinable public static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds - duration.wholeNanoseconds)
    }

    /// The time that the terminal ran between the two; negative when `earlier` is later.
    @inlinable public static func - (later: Instant, earlier: Instant) -> Duration {
        .nanoseconds(later.nanoseconds - earlier.nanoseconds)
    }
}

extension Instant {
    /// Cheaper than adding a `Duration` where the nanoseconds are at hand.
    @inlinable public func advanced(by nanoseconds: Int64) -> Instant {
        Instant(nanoseconds: self.nanoseconds + nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, the part below one nanosecond dropped. About ±292 years fit.
    @inlinable public var wholeNanoseconds: Int64 {
        Int64(truncatingIfNeeded: attoseconds / 1_000_000_000)
    }

    /// The duration in milliseconds, the part below one millisecond dropped.
    @inlinable public var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
