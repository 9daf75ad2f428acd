import Base
internal import Glibc
internal import OfflineCore

/// The wall clock, read in one place.
enum WallClock {
    /// Milliseconds since 1970.
    @Sendable static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The clocks of a hub, chosen where it is assembled; a test gives it others and sets them as it likes.
struct HubClocks: Sendable {
    /// Milliseconds since 1970: what expires, and what is dated.
    let wall: @Sendable () -> Int64
    /// A clock that does not step back: rates and waits.
    let monotonic: @Sendable () -> Instant

    /// This machine's.
    static let system = HubClocks(wall: WallClock.now, monotonic: { QoSTime().now() })
}
