import Base
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime

extension LinuxSystemTime {
    /// The hub's clock. It counts suspensions: what it decided expires for terminals that were awake.
    static let hub = LinuxSystemTime(.withSuspension)

    /// The moment at which the wall clock of now will show `milliseconds` since 1970; now for one that is
    /// over, and at most ten years from now.
    func instant(ofWall milliseconds: Int64) -> Instant {
        now() + .milliseconds(min(max(milliseconds - wallMilliseconds(), 0), Self.furthest))
    }

    /// Ten years of 365 days in milliseconds: more is no plan of an operator, and the sum must not overflow.
    private static var furthest: Int64 { 10 * 365 * 86_400_000 }
}

/// The clocks of a hub, chosen where it is assembled; a test gives it others and sets them as it likes.
struct HubClocks: Sendable {
    /// Milliseconds since 1970: what expires, and what is dated.
    let wall: @Sendable () -> Int64
    /// A clock that does not step back: rates and waits.
    let monotonic: @Sendable () -> Instant

    /// This machine's.
    static let system = HubClocks(
        wall: LinuxSystemTime.hub.wallMilliseconds, monotonic: LinuxSystemTime.hub.now)
}
