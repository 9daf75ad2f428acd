import Base

internal import Glibc

/// The system's clocks in whole nanoseconds.
enum Stopwatch {
    static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    /// How long `body` takes, in nanoseconds.
    static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int64 {
        let start = now()
        try body()
        return now() - start
    }

    /// The CPU time of `body`, which only computes, in nanoseconds: other programs do not count.
    static func busyTime(_ body: () -> Void) -> Int64 {
        let start = read(CLOCK_THREAD_CPUTIME_ID)
        body()
        return read(CLOCK_THREAD_CPUTIME_ID) - start
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
