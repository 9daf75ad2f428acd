internal import Glibc
public import OfflineCore
public import OfflineMode

/// The kernel's clocks.
public struct LinuxSystemTime: SystemTime {
    public init() {}

    public func now() -> Instant {
        Instant(nanoseconds: Self.nanoseconds(of: CLOCK_MONOTONIC))
    }

    public func wallMilliseconds() -> Int64 {
        Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    public func suspended() -> Duration {
        // Two readings cannot be taken at once. Reading the monotonic clock first keeps the difference from
        // falling below the truth; a few microseconds above it are nobody's concern.
        let awake = Self.nanoseconds(of: CLOCK_MONOTONIC)
        return .nanoseconds(Self.nanoseconds(of: CLOCK_BOOTTIME) - awake)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
