internal import Glibc

/// The wall clock, read in one place.
enum WallClock {
    /// Milliseconds since 1970.
    @Sendable static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
