import Base

internal import Glibc
internal import OfflineCore

/// The monotonic clock of the QoS machine, and its moments as wall-clock time.
struct QoSTime: Sendable {
    func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Milliseconds since 1970 of a moment, by the wall clock of now.
    func wall(_ instant: Instant) -> Int64 {
        WallClock.now() - (now() - instant).wholeMilliseconds
    }

    /// The moment at which the wall clock of now will show `milliseconds` since 1970.
    func instant(_ milliseconds: Int64) -> Instant {
        now() + .milliseconds(min(max(milliseconds - WallClock.now(), 0), 10 * 365 * 86_400_000))
    }
}
