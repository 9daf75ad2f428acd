import Base

internal import Glibc
internal import OfflineCore

/// CLOCK_MONOTONIC, which every timing of the transport is on.
enum MonotonicClock {
    static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
